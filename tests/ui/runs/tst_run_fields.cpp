// M10: options and metrics as columns of the runs table.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/runs/field_reader.h"
#include "ui/runs/runs_filter.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>

#include <cmath>

using storage::RunField;
using ui::RunsModel;
using Kind = storage::RunField::Kind;

namespace {

const RunField kRate = {Kind::Parameter, "optim.lr"};
const RunField kLoss = {Kind::Last, "loss"};
const RunField kLowest = {Kind::Lowest, "loss"};

std::vector<storage::RunRow> namedRows(int count)
{
    std::vector<storage::RunRow> all(static_cast<std::size_t>(count));
    for (int index = 0; index < count; ++index) {
        storage::RunRow& run = all[static_cast<std::size_t>(index)];
        run.id = "run-" + std::to_string(index);
        run.name = "name of " + run.id;
        run.createdUnixMs = index;
    }
    return all;
}

QStringList texts(const QAbstractItemModel& model, int column)
{
    QStringList all;
    for (int row = 0; row < model.rowCount(); ++row)
        all << model.index(row, column).data().toString();
    return all;
}

}  // namespace

class RunFieldsTest : public QObject {
    Q_OBJECT

private:
    ui::Selection m_selection;
    std::unique_ptr<RunsModel> m_model;
    std::unique_ptr<QAbstractItemModelTester> m_tester;

private Q_SLOTS:
    void init()
    {
        m_tester.reset();
        m_model = std::make_unique<RunsModel>(m_selection);
        m_tester = std::make_unique<QAbstractItemModelTester>(m_model.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    void M10_columnsComeAndGo()
    {
        m_model->setRows(namedRows(3));
        const QPersistentModelIndex name = m_model->indexOf("run-1");
        m_model->setFields({kRate, kLoss});
        m_model->setValues(kRate, {{"run-0", "0.1", 0}, {"run-2", "0.3", 0}, {"absent", "9", 0}});
        m_model->setValues(kLoss, {{"run-1", {}, 1.0 / 3}});
        QCOMPARE(m_model->columnCount(), RunsModel::BuiltInCount + 2);
        QCOMPARE(texts(*m_model, m_model->columnOf(kRate)), QStringList({"0.1", "", "0.3"}));
        QCOMPARE(texts(*m_model, m_model->columnOf(kLoss)), QStringList({"", "0.3333", ""}));
        QCOMPARE(m_model->index(1, m_model->columnOf(kLoss)).data(Qt::ToolTipRole).toString(), QStringLiteral("0.3333333333333333"));
        QCOMPARE(m_model->headerData(m_model->columnOf(kRate), Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("optim.lr"));
        const QPersistentModelIndex loss = m_model->index(1, m_model->columnOf(kLoss));
        m_model->setFields({kLowest, kLoss});  // what remains keeps its values
        QCOMPARE(m_model->columnOf(kRate), -1);
        QCOMPARE(loss.data().toString(), QStringLiteral("0.3333"));
        QCOMPARE(texts(*m_model, m_model->columnOf(kLowest)), QStringList({"", "", ""}));
        QCOMPARE(m_model->headerData(m_model->columnOf(kLowest), Qt::Horizontal, Qt::DisplayRole).toString(),
            QStringLiteral("lowest loss"));
        m_model->setRows(namedRows(4));  // a run that is added has a cell in every column
        QCOMPARE(texts(*m_model, m_model->columnOf(kLoss)), QStringList({"", "0.3333", "", ""}));
        m_model->setValues(kRate, {{"run-0", "0.1", 0}});  // late: nobody shows it any more
        m_model->setValuesOf("run-3", {{kLoss, {"run-3", {}, 7}}});
        m_model->setValuesOf("run-1", {});
        QCOMPARE(texts(*m_model, m_model->columnOf(kLoss)), QStringList({"", "", "", "7"}));
        QVERIFY(name.isValid());
    }

    void M10_numbersSortAsNumbers_data()
    {
        QTest::addColumn<Qt::SortOrder>("order");
        QTest::addColumn<QString>("ids");
        QTest::newRow("M10: ascending") << Qt::AscendingOrder << "run-2 run-0 run-3 run-1 run-5 run-4";
        QTest::newRow("M10: descending") << Qt::DescendingOrder << "run-4 run-5 run-1 run-3 run-0 run-2";
    }
    /// Numbers, not their texts; then NaN, then words, then runs without a value.
    void M10_numbersSortAsNumbers()
    {
        QFETCH(Qt::SortOrder, order);
        QFETCH(QString, ids);
        m_model->setRows(namedRows(6));
        m_model->setFields({kRate});
        m_model->setValues(kRate, {{"run-0", "9", 0}, {"run-1", "nan", 0}, {"run-2", "1e-4", 0}, {"run-3", "10", 0}, {"run-5", "auto", 0}});
        ui::RunsFilter filter(*m_model);
        filter.sort(m_model->columnOf(kRate), order);
        QStringList found;
        for (int row = 0; row < filter.rowCount(); ++row)
            found << filter.index(row, 0).data(RunsModel::IdRole).toString();
        QCOMPARE(found.join(' '), ids);
    }

    void M10_theFilterFollowsTheValues()
    {
        m_model->setRows(namedRows(3));
        m_model->setFields({kLoss});
        ui::RunsFilter filter(*m_model);
        filter.setQuery(ui::RunQuery::parse("loss < 0.2", nullptr).query);
        QCOMPARE(filter.rowCount(), 0);
        m_model->setValues(kLoss, {{"run-1", {}, 0.1}, {"run-2", {}, 0.3}});
        QCOMPARE(texts(filter, RunsModel::Name), QStringList("name of run-1"));
        m_model->setValuesOf("run-2", {{kLoss, {"run-2", {}, 0.15}}});
        QCOMPARE(filter.rowCount(), 2);
    }

    /// The goal is 50 ms; the limit leaves room for a busy machine.
    void M10_tenThousandRunsSortAndFilterByAField()
    {
        m_tester.reset();
        m_model->setRows(namedRows(10'000));
        m_model->setFields({kLoss, kRate});
        std::vector<storage::RunValue> losses;
        std::vector<storage::RunValue> rates;
        for (int index = 0; index < 10'000; ++index) {
            losses.push_back({"run-" + std::to_string(index), {}, double((index * 7919) % 10'000)});
            rates.push_back({"run-" + std::to_string(index), "0.00" + std::to_string(index % 10), 0});
        }
        ui::RunsFilter filter(*m_model);
        QElapsedTimer timer;
        timer.start();
        m_model->setValues(kLoss, losses);
        m_model->setValues(kRate, rates);
        const auto set = timer.restart();
        filter.sort(m_model->columnOf(kLoss), Qt::DescendingOrder);
        const auto sorted = timer.restart();
        filter.setQuery(ui::RunQuery::parse("loss < 5000 and optim.lr = 0.003", nullptr).query);
        const auto filtered = timer.restart();
        filter.setQuery(ui::RunQuery::parse("absent words or others", nullptr).query);
        const auto searched = timer.elapsed();
        qInfo("10,000 runs: two fields set in %lld ms, sorted in %lld ms, filtered in %lld ms, searched in %lld ms", set, sorted,
            filtered, searched);
        QVERIFY(sorted < 250 && filtered < 250 && searched < 250);
    }

    /// From the database to the cells: new fields at once, and what a run adds later.
    void M10_valuesAreReadAndKeptUpToDate()
    {
        const ui_test::TestHome home;
        const auto run = home.writeRun("one-20261121-100000-aaaa", 50, "");
        home.writeRun("two-20261121-100001-bbbb", 10, "finished");
        home.ingest();
        ui::StoreService store(home.home());
        m_tester.reset();
        m_model.reset();
        RunsModel model(m_selection);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        ui::FieldReader reader(store, model);
        QSignalSpy names(&reader, &ui::FieldReader::namesChanged);
        {
            const storage::Store direct(home.home().database(), storage::Store::Open::ReadOnly);
            model.setRows(direct.runs());
        }
        QVERIFY(names.wait(20'000));
        QVERIFY(std::ranges::find(reader.names()->metrics, "grad_norm") != reader.names()->metrics.end());
        const RunField total = {Kind::Parameter, "run.total_steps"};
        const RunField lowest = {Kind::Lowest, "grad_norm"};
        model.setFields({total, lowest});
        QTRY_COMPARE(model.indexOf("one-20261121-100000-aaaa", model.columnOf(total)).data().toString(), QStringLiteral("100"));
        const auto norm = [&] { return model.indexOf("one-20261121-100000-aaaa", model.columnOf(lowest)).data().toString(); };
        QTRY_COMPARE(norm(), QStringLiteral("0.02"));
        QVERIFY(reader.hasValues());
        contract::JournalHeader header;
        header.run = run.id();
        contract::JournalWriter journal(run.journal(0), header);
        journal.begin(contract::record::kStep, 51).add(contract::metric::kGradNorm, 0.001);
        journal.commit();
        store.catchUp(QString::fromStdString(run.root().string()));
        QTRY_COMPARE(norm(), QStringLiteral("0.001"));
    }
};

ATELIER_UI_TEST_MAIN(RunFieldsTest)
#include "tst_run_fields.moc"
