#include "tests/ui/support/ui_test_main.h"
#include "ui/runs/runs_filter.h"
#include "ui/runs/runs_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

using ui::RunsModel;

namespace {

storage::RunRow row(const std::string& id, std::int64_t created = 0)
{
    storage::RunRow run;
    run.id = id;
    run.name = "name of " + id;
    run.createdUnixMs = created;
    run.attempts = 1;
    run.totalSteps = 100;
    return run;
}

std::vector<storage::RunRow> rows(int count)
{
    std::vector<storage::RunRow> all;
    for (int index = count; index > 0; --index)
        all.push_back(row("run-" + std::to_string(index), index));
    return all;
}

}  // namespace

class RunsModelTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui::Selection> m_selection;
    std::unique_ptr<RunsModel> m_model;
    std::unique_ptr<QAbstractItemModelTester> m_tester;

private Q_SLOTS:
    void init()
    {
        m_tester.reset();
        m_model.reset();
        m_selection = std::make_unique<ui::Selection>();
        m_model = std::make_unique<RunsModel>(*m_selection);
        m_tester = std::make_unique<QAbstractItemModelTester>(
            m_model.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    void rowsAreUpdatedInPlace()
    {
        m_model->setRows(rows(3));
        QSignalSpy reset(m_model.get(), &QAbstractItemModel::modelReset);
        QSignalSpy changed(m_model.get(), &QAbstractItemModel::dataChanged);
        const QPersistentModelIndex second = m_model->indexOf("run-2");
        auto next = rows(3);
        next[1].lastStep = 50;
        next[1].lastLoss = 0.25;
        m_model->setRows(next);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(second.data(RunsModel::ProgressRole).toDouble(), 0.5);
        QCOMPARE(second.sibling(second.row(), RunsModel::Loss).data().toString(), QStringLiteral("0.25"));
    }

    void nothingIsSaidWhenNothingChanged()
    {
        m_model->setRows(rows(3));
        QSignalSpy changed(m_model.get(), &QAbstractItemModel::dataChanged);
        QSignalSpy runs(m_model.get(), &RunsModel::runsChanged);
        m_model->setRows(rows(3));
        QCOMPARE(changed.count(), 0);
        QCOMPARE(runs.count(), 0);
    }

    void runsComeAndGoWithoutAReset()
    {
        m_model->setRows(rows(200));
        QSignalSpy reset(m_model.get(), &QAbstractItemModel::modelReset);
        auto next = rows(201);
        std::erase_if(next, [](const storage::RunRow& run) { return run.id == "run-7" || run.id == "run-8"; });
        m_model->setRows(next);
        QCOMPARE(m_model->rowCount(), 199);
        QVERIFY(!m_model->entry("run-7"));
        QVERIFY(m_model->entry("run-201"));
        QCOMPARE(m_model->indexOf("run-9").data(RunsModel::IdRole).toString(), QStringLiteral("run-9"));
        QCOMPARE(reset.count(), 0);
    }

    /// A run that nobody has looked at yet is not said to be anything.
    void m01_stateIsUnknownUntilTheEvidenceWasSeen()
    {
        m_model->setRows(rows(1));
        QVERIFY(!m_model->indexOf("run-1").data(RunsModel::StateRole).isValid());
        launcher::RunStatus status;
        status.state = launcher::RunState::Interrupted;
        status.cause = "The supervisor was killed.";
        m_model->setStatus("run-1", status);
        const QModelIndex state = m_model->indexOf("run-1", RunsModel::State);
        QCOMPARE(state.data().toString(), QStringLiteral("Interrupted"));
        QCOMPARE(state.data(Qt::ToolTipRole).toString(), QStringLiteral("The supervisor was killed."));
    }

    void theEyeDraws()
    {
        m_model->setRows(rows(2));
        const QModelIndex eye = m_model->indexOf("run-2", RunsModel::Drawn);
        QVERIFY(m_model->setData(eye, Qt::Checked, Qt::CheckStateRole));
        QVERIFY(m_selection->isDrawn("run-2"));
        QCOMPARE(eye.data(RunsModel::LookRole).toInt(), 0);
        QCOMPARE(m_model->indexOf("run-1").data(RunsModel::LookRole).toInt(), -1);
    }

    void theFilterAsksForEveryWord()
    {
        auto all = rows(214);
        all[3].tags = {"Ablation"};
        all[5].isArchived = true;
        m_model->setRows(all);
        ui::RunsFilter filter;
        filter.setSourceModel(m_model.get());
        QCOMPARE(filter.rowCount(), 213);
        filter.setWords("ablation name");
        QCOMPARE(filter.rowCount(), 1);
        filter.setWords("ablation absent");
        QCOMPARE(filter.rowCount(), 0);
        filter.setWords({});
        filter.setArchivedShown(true);
        QCOMPARE(filter.rowCount(), 214);
    }

    void everyColumnSorts()
    {
        auto all = rows(50);
        for (std::size_t index = 0; index < all.size(); ++index)
            all[index].lastLoss = double((index * 37) % 50);
        m_model->setRows(all);
        ui::RunsFilter filter;
        filter.setSourceModel(m_model.get());
        for (int column = 0; column < RunsModel::ColumnCount; ++column) {
            filter.sort(column);
            for (int at = 1; at < filter.rowCount(); ++at) {
                const QVariant before = filter.index(at - 1, column).data(RunsModel::SortRole);
                const QVariant after = filter.index(at, column).data(RunsModel::SortRole);
                QVERIFY(QVariant::compare(before, after) != QPartialOrdering::Greater);
            }
        }
    }

    void tenThousandRunsSortAndFilterWithin50Ms()
    {
        m_tester.reset();  // it asks for everything at every change
        m_model->setRows(rows(10'000));
        ui::RunsFilter filter;
        filter.setSourceModel(m_model.get());
        QElapsedTimer timer;
        timer.start();
        filter.sort(RunsModel::Started);
        const auto sorted = timer.restart();
        filter.setWords("run-77");
        const auto filtered = timer.elapsed();
        qInfo("10,000 runs: sorted in %lld ms, filtered in %lld ms", sorted, filtered);
        QCOMPARE(filter.rowCount(), 111);
    }
};

ATELIER_UI_TEST_MAIN(RunsModelTest)
#include "tst_runs_model.moc"
