// What the inspector knows of a run: read again as far as it has changed, and shown without losing the place.
#include "launcher/state/journal_end.h"
#include "tests/ui/support/paint_watch.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/format.h"
#include "ui/inspector/events_model.h"
#include "ui/inspector/overview.h"
#include "ui/inspector/parameters_view.h"
#include "ui/inspector/run_facts.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTreeView>

#include <fstream>

namespace {

std::vector<storage::EventRow> events(int first, int last)
{
    std::vector<storage::EventRow> rows;
    for (int number = first; number <= last; ++number)
        rows.push_back({.step = number, .unixMs = 1000 * number, .level = "info", .kind = "phase", .message = "event " + std::to_string(number)});
    return rows;
}

void appendLine(const std::filesystem::path& file, const std::string& line)
{
    std::ofstream(file, std::ios::app) << line << '\n';
}

}  // namespace

class InspectorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each change is read, and a change of one part leaves the others as they are.
    void defect24_changedFactsAreReadAgain()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("run-20261121-100000-aaaa", 10, "");
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::FactsLoader loader(store, selection);
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_COMPARE(loader.facts().runId, QString::fromStdString(run.id()));
        QTRY_VERIFY(!loader.facts().events.empty());
        const std::size_t before = loader.facts().events.size();
        const auto parameters = loader.facts().parameters;
        QVERIFY(parameters.size() == 1 && !parameters.at(1).empty());
        QCOMPARE(loader.facts().samples, 0);

        appendLine(run.journal(0), R"({"type":"sample","step":11,"t_ms":90000,"file":"samples/11.png","prompt":"3","seed":7})");
        home.ingest();
        QTRY_COMPARE(loader.facts().samples, 1);
        appendLine(run.journal(0), R"({"type":"event","step":11,"t_ms":90001,"level":"info","kind":"phase","message":"draws"})");
        home.ingest();
        QTRY_COMPARE(loader.facts().events.size(), before + 1);
        appendLine(run.journal(0), R"({"type":"step","step":12,"t_ms":90002,"loss":0.125})");
        home.ingest();
        QTRY_COMPARE(loader.facts().last("loss"), std::optional(0.125));
        QTRY_COMPARE(loader.facts().attempts.back().lastStep, 12);
        QCOMPARE(loader.facts().samples, 1);
        QVERIFY(loader.facts().parameters == parameters);

        std::filesystem::create_directories(run.attempt(2));
        contract::Experiment experiment;
        experiment.setText("optim.lr", "0.5");
        std::ofstream(run.config(2)) << experiment.toToml(contract::Experiment::Write::Everything);
        contract::AttemptStart start = run.readStart(1);
        start.attempt = 2;
        run.writeStart(start);
        home.ingest();
        QTRY_COMPARE(loader.facts().parameters.size(), std::size_t(2));
        QVERIFY(loader.facts().parameters.at(1) == parameters.at(1));
        QVERIFY(loader.facts().parameters.at(2) != parameters.at(1));

        const auto another = home.writeRun("another-20261121-100001-bbbb", 5, "finished");
        home.ingest();
        selection.setInspected(QString::fromStdString(another.id()));
        QTRY_COMPARE(loader.facts().runId, QString::fromStdString(another.id()));
        QCOMPARE(loader.facts().parameters.size(), std::size_t(1));
        QCOMPARE(loader.facts().samples, 0);
        selection.setInspected({});
        QTRY_COMPARE(loader.facts().runId, QString());
    }

    /// Else each step of a run would be painted within the turn that reads it.
    void M17_progressIsPaintedInATurnOfItsOwn()
    {
        ui::RunEntry entry;
        entry.row.totalSteps = 100;
        entry.row.lastStep = 10;
        ui::Overview overview;
        overview.show(entry, {});
        static_cast<QWidget&>(overview).show();
        QVERIFY(QTest::qWaitForWindowExposed(&overview));
        auto& progress = *overview.findChild<QProgressBar*>();
        const ui_test::PaintWatch watch(progress);
        entry.row.lastStep = 90;
        overview.show(entry, {});
        QCOMPARE(progress.value(), 900);
        QVERIFY(!watch.isPainted);
        QTRY_VERIFY(watch.isPainted);
    }

    void theRewardHasARowWhereThereIsOne()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("run-20261121-100000-aaaa", 10, "");
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::FactsLoader loader(store, selection);
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_VERIFY(!loader.facts().series.empty());
        ui::RunEntry entry;
        entry.row.id = run.id();
        ui::Overview overview;
        const QLabel& reward = *overview.findChild<QLabel*>(QStringLiteral("critic/rewards/mean"));
        overview.show(entry, loader.facts());
        QVERIFY(reward.isHidden());
        appendLine(run.journal(0), R"({"type":"metrics","step":12,"t_ms":90002,"critic/rewards/mean":0.75})");
        home.ingest();
        QTRY_COMPARE(loader.facts().last("critic/rewards/mean"), std::optional(0.75));
        overview.show(entry, loader.facts());
        QCOMPARE(reward.text(), QStringLiteral("0.75"));
    }

    /// E1: the time in a queue is no part of a run's duration, nor of the time that it still needs.
    void E1_theWaitIsApartFromTheDuration()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("run-20261121-100000-aaaa", 10, "");
        const std::int64_t ranksStart = launcher::readRankZeroEnd(run, 1).startUnixMs;
        contract::AttemptStart start = run.readStart(1);
        start.startUnixMs = ranksStart - 200'000;
        run.writeStart(start);
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::FactsLoader loader(store, selection);
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_VERIFY(!loader.facts().series.empty());
        QCOMPARE(loader.facts().attempts.back().ranksStartUnixMs, ranksStart);
        ui::RunEntry entry;
        entry.row.id = run.id();
        entry.row.totalSteps = 100;
        entry.row.lastStep = 10;
        entry.row.lastRecordUnixMs = ranksStart + 10'000;
        entry.status.emplace().state = launcher::RunState::Running;
        ui::Overview overview;
        const auto text = [&](const char* row) { return overview.findChild<QLabel*>(QLatin1String(row))->text(); };
        overview.show(entry, loader.facts());
        QCOMPARE(text("waited"), QStringLiteral("3 min 20 s"));
        QCOMPARE(text("took"), QStringLiteral("10 s"));
        QCOMPARE(text("left"), QStringLiteral("about 1 min 30 s"));
        QCOMPARE(overview.findChild<QLabel*>(QStringLiteral("started"))->toolTip(), ui::formatMoment(ranksStart));

        // A start takes some seconds, too.
        start.startUnixMs = ranksStart - 3000;
        run.writeStart(start);
        home.ingest();
        QTRY_COMPARE(loader.facts().attempts.back().startUnixMs, start.startUnixMs);
        overview.show(entry, loader.facts());
        QVERIFY(text("waited").isEmpty());

        const contract::RunFolder queued = home.writeRun("queued-20261121-100001-bbbb", 0, "");
        std::filesystem::remove_all(queued.journals());
        contract::AttemptStart prepared = queued.readStart(1);
        prepared.startUnixMs = QDateTime::currentMSecsSinceEpoch() - 3'600'000;
        queued.writeStart(prepared);
        home.ingest();
        selection.setInspected(QString::fromStdString(queued.id()));
        QTRY_COMPARE(loader.facts().runId, QString::fromStdString(queued.id()));
        QTRY_VERIFY(!loader.facts().attempts.empty());
        entry.row.id = queued.id();
        entry.row.lastStep = 0;
        entry.row.lastRecordUnixMs = 0;
        entry.status->state = launcher::RunState::Queued;
        overview.show(entry, loader.facts());
        QCOMPARE(text("started"), QStringLiteral("not yet"));
        QVERIFY2(text("waited").startsWith("1 h") && text("waited").endsWith(" so far"), qPrintable(text("waited")));
        QVERIFY(text("took").isEmpty());
    }

    void aResumedRunHasStartedWithItsFirstAttempt()
    {
        ui::RunFacts facts;
        facts.runId = QStringLiteral("run");
        const std::int64_t now = QDateTime::currentMSecsSinceEpoch();
        facts.attempts.resize(1);
        facts.attempts[0].startUnixMs = now - 7'200'000;
        ui::RunEntry entry;
        entry.row.id = "run";
        ui::Overview overview;
        const QLabel& started = *overview.findChild<QLabel*>(QStringLiteral("started"));
        const QLabel& resumed = *overview.findChild<QLabel*>(QStringLiteral("resumed"));
        overview.show(entry, facts);
        QCOMPARE(started.toolTip(), ui::formatMoment(now - 7'200'000));
        QVERIFY(resumed.isHidden());
        facts.attempts.push_back(facts.attempts[0]);
        facts.attempts[1].startUnixMs = now - 60'000;
        overview.show(entry, facts);
        QCOMPARE(started.toolTip(), ui::formatMoment(now - 7'200'000));
        QCOMPARE(resumed.toolTip(), ui::formatMoment(now - 60'000));
    }

    /// N6: what a trial said before the start stands beside what has become of it.
    void N6_theForecastStandsBesideTheTruth()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("run-20261121-100000-aaaa", 10, "");
        launcher::writeEstimate(run, 1, launcher::Estimate {{.steps = 3, .stepMs = 2000, .peakBytes = 1}, 300'000'000, 0});
        appendLine(run.journal(0), R"({"type":"step","step":11,"t_ms":90000,"memory/peak_bytes":250000000})");
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::FactsLoader loader(store, selection);
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_VERIFY(loader.facts().estimate.has_value());
        QTRY_VERIFY(!loader.facts().series.empty());
        ui::RunEntry entry;
        entry.row.id = run.id();
        entry.row.totalSteps = 100;
        entry.row.lastStep = 11;
        // Not by the attempt's own time: a run may have waited in the queue.
        QVERIFY(loader.facts().attempts.back().ranksStartUnixMs > 0);
        entry.row.lastRecordUnixMs = loader.facts().attempts.back().ranksStartUnixMs + 90'000;
        ui::Overview overview;
        overview.show(entry, loader.facts());
        auto* const row = overview.findChild<QLabel*>(QStringLiteral("forecast"));
        QCOMPARE(row->text(), QStringLiteral("22 s for the steps, was 1 min 30 s\n300.0 MB of memory, was 250.0 MB"));  // 11 steps of 2 s
        entry.status.emplace().state = launcher::RunState::Running;
        overview.show(entry, loader.facts());
        QCOMPARE(row->text(), QStringLiteral("3 min 20 s for the steps, 1 min 30 s so far\n300.0 MB of memory, 250.0 MB so far"));  // of all 100

        std::filesystem::remove(run.attempt(1) / "estimate.json");
        loader.load();
        QTRY_VERIFY(!loader.facts().estimate.has_value());
        overview.show(entry, loader.facts());
        QVERIFY(row->text().isEmpty());

        // What rank 0 forecasts at the start needs no trial.
        appendLine(run.attempt(1) / "forecast.json", R"({"v":1,"device":"cpu","ranks":2,"parameters":5,"trained":5,"checkpoint_bytes":20000000,"activations_known":true,)"
            R"("available_bytes":1,"parts":[{"name":"program","bytes":200000000,"host":false},{"name":"activations","bytes":60000000,"host":false}]})");
        loader.load();
        QTRY_VERIFY(loader.facts().forecast.has_value());
        overview.show(entry, loader.facts());
        const qint64 disk = loader.facts().forecast->checkpointsBytes();
        QVERIFY(disk > 0 && disk % 20'000'000 == 0);
        QCOMPARE(row->text(), QStringLiteral("260.0 MB of memory, 250.0 MB so far\n%1 of checkpoints, 0 bytes so far").arg(ui::formatBytes(disk)));
        std::filesystem::resize_file(run.attempt(1) / "forecast.json", 40);
        loader.load();
        QTRY_VERIFY(!loader.facts().forecast.has_value());
    }

    void N2_theProofIsASentence_data()
    {
        QTest::addColumn<storage::ResumeProof>("proof");
        QTest::addColumn<QString>("said");
        const storage::ResumeProof equal {.former = 1, .later = 2, .firstStep = 301, .lastStep = 450, .steps = 150, .metrics = 2, .first = {}};
        storage::ResumeProof other = equal, cut = equal;
        other.first = {317, "loss", 0.25, 0.5};
        cut.lastStep = 100'300;
        cut.steps = 100'000;
        cut.isCut = true;
        QTest::newRow("N2: identical") << equal << "2 repeats steps 301 to 450 of 1 with identical values";
        QTest::newRow("N2: different") << other << "2 differs from 1 from step 317 on: loss is 0.5 instead of 0.25";
        QTest::newRow("N2: too many to compare all")
            << cut << QStringLiteral("2 repeats steps 301 to %1 of 1 with identical values; only these %2 steps were compared").arg(ui::formatCount(100'300), ui::formatCount(100'000));
    }
    void N2_theProofIsASentence()
    {
        QFETCH(storage::ResumeProof, proof);
        ui::RunEntry entry;
        entry.row.id = "run";
        ui::RunFacts facts;
        facts.runId = "run";
        facts.proofs = {proof};
        ui::Overview overview;
        overview.show(entry, facts);
        QTEST(overview.findChild<QLabel*>(QStringLiteral("proof"))->text(), "said");
    }

    /// The second attempt went on from step 5 of the first and needs less memory; the third has only begun, from step 7 of the second.
    void N1_valuesAreThoseOfTheRunsTable()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("run-20261121-100000-aaaa", 0, "");
        for (const int attempt : {2, 3}) {
            std::filesystem::create_directories(run.attempt(attempt));
            std::filesystem::copy_file(run.config(1), run.config(attempt));
            contract::AttemptStart start = run.readStart(1);
            start.attempt = attempt;
            start.parentStep = attempt == 2 ? 5 : 7;
            run.writeStart(start);
        }
        const auto step = [&](int at, const std::string& values) {
            appendLine(run.journal(0), R"({"type":"step","step":)" + std::to_string(at) + R"(,"t_ms":1,)" + values + "}");
        };
        const auto header = [&](int attempt) {
            appendLine(run.journal(0), R"({"v":1,"run":"run","attempt":)" + std::to_string(attempt) + R"(,"rank":0,"host":"box","t_unix_ms":1795255300000})");
        };
        for (int at = 1; at <= 10; ++at)
            step(at, R"("loss":1,"memory/resident_bytes":900000000,"memory/peak_bytes":900000000)" + std::string(at == 4 ? R"(,"lr":0.25)" : at == 8 ? R"(,"lr":0.5,"skipped_steps":3)" : ""));
        header(2);
        for (int at = 6; at <= 8; ++at)
            step(at, R"("memory/resident_bytes":300000000,"memory/peak_bytes":300000000,"loss":)" + std::to_string(at));
        header(3);
        appendLine(run.attempt(3) / "forecast.json", R"({"v":1,"device":"cpu","ranks":2,"parameters":5,"trained":5,"checkpoint_bytes":20000000,"activations_known":true,)"
            R"("available_bytes":1,"parts":[{"name":"program","bytes":200000000,"host":false}]})");
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::FactsLoader loader(store, selection);
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_VERIFY(!loader.facts().series.empty());
        ui::RunEntry entry;
        entry.row.id = run.id();
        ui::Overview overview;
        overview.show(entry, loader.facts());
        const auto text = [&](const char* row) { return overview.findChild<QLabel*>(QLatin1String(row))->text(); };
        QCOMPARE(text("loss"), QStringLiteral("7"));
        QCOMPARE(text("lr"), QStringLiteral("0.25"));
        QCOMPARE(text("skipped_steps"), QString());
        QCOMPARE(text("memory"), QStringLiteral("300.0 MB in the largest process"));
        QVERIFY2(text("forecast").startsWith("200.0 MB of memory, was 300.0 MB"), qPrintable(text("forecast")));
        const storage::Store read(home.home().database(), storage::Store::Open::ReadOnly);
        for (const char* name : {"loss", "lr"})
            QCOMPARE(read.values({storage::RunField::Kind::Last, name}, run.id()).at(0).number, loader.facts().last(name).value_or(-1));
    }

    /// Of many events only the newest are shown; each new one takes the place of the oldest, and the others keep theirs.
    void newEventsKeepThePlaceOfTheOthers()
    {
        ui::EventsModel model;
        QAbstractItemModelTester tester(&model);
        model.setEvents("run", events(1, 50));
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        const QPersistentModelIndex kept = model.index(29, ui::EventsModel::Message);
        model.setEvents("run", events(4, 53));
        QCOMPARE(model.rowCount(), 50);
        QVERIFY(kept.isValid());
        QCOMPARE(kept.row(), 26);
        QCOMPARE(kept.data().toString(), QStringLiteral("event 30"));
        QCOMPARE(model.index(49, ui::EventsModel::Message).data().toString(), QStringLiteral("event 53"));
        model.setEvents("run", events(4, 53));
        model.setEvents("run", events(4, 60));
        QCOMPARE(model.rowCount(), 57);
        QCOMPARE(resets.count(), 0);
        model.setEvents("run", events(100, 120));  // nothing in common
        QCOMPARE(resets.count(), 1);
        model.setEvents("another", events(100, 120));
        QCOMPARE(resets.count(), 2);
    }

    void copyingNothingKeepsTheClipboard()
    {
        ui::ParametersView view(ui::ParametersView::Show::All);
        ui::RunFacts facts;
        facts.parameters[1] = ui::defaultParameters();
        view.show(facts);
        QGuiApplication::clipboard()->setText("kept");
        view.copySelected();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("kept"));
        view.table().selectAll();
        view.copySelected();
        QVERIFY(QGuiApplication::clipboard()->text().contains("optim.lr = 0.001"));
    }
};

ATELIER_UI_TEST_MAIN(InspectorTest)
#include "tst_inspector.moc"
