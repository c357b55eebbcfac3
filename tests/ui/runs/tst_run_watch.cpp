// The states of runs are determined in the order in which the user waits for them.
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "storage/store.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/runs/run_watch.h"

#include <QDateTime>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace {

constexpr int kTimeoutMs = 20'000;

/// Makes a run one that a supervisor on another host has started.
void runsElsewhere(const contract::RunFolder& run)
{
    contract::SupervisorLock lock(run);
    lock.take();
    lock.describe(1);
    std::ifstream stream(run.supervisorLock());
    nlohmann::json owner = nlohmann::json::parse(stream);
    owner["host"] = "elsewhere";
    std::ofstream(run.supervisorLock()) << owner.dump();
}

}  // namespace

class RunWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void defect24_statesInViewComeFirst()
    {
        constexpr int kRuns = 200, kInView = 10;
        const ui_test::TestHome home;
        QStringList oldest;
        for (int i = 0; i < kRuns; ++i) {
            const std::string id = "run-20261121-" + std::to_string(100000 + i) + "-aaaa";
            home.writeRun(id, 1, "finished");
            if (i < kInView)
                oldest << QString::fromStdString(id);
        }
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::RunsModel model(selection);
        ui::RunWatch watch(store, model);
        watch.setInView([&] { return oldest; });
        QStringList determined;
        connect(&model, &ui::RunsModel::entryChanged, this, [&](const QString& id) {
            if (model.entry(id)->status && !determined.contains(id))
                determined << id;
        });
        QTRY_COMPARE(determined.size(), qsizetype(kRuns));
        for (const QString& id : oldest)
            QVERIFY2(determined.indexOf(id) < 2 * kInView, qPrintable(QStringLiteral("%1 is number %2").arg(id).arg(determined.indexOf(id))));
    }

    void defect24_waitingQueriesAreRunInOrderOrNotAtAll()
    {
        ui::QueryQueue queue;
        QStringList run;
        const auto add = [&](ui::QueryLength length, const char* name) {
            auto isCancelled = std::make_shared<std::atomic<bool>>(false);
            queue.add(length, isCancelled, [&run, name] { run << QString::fromLatin1(name); });
            return ui::QueryTicket(isCancelled);
        };
        add(ui::QueryLength::Long, "points");
        add(ui::QueryLength::Short, "row");
        ui::QueryTicket dropped = add(ui::QueryLength::Short, "another run's row");
        add(ui::QueryLength::Short, "rows");
        dropped.cancel();
        while (const ui::QueryQueue::Query next = queue.take())
            next();
        QCOMPARE(run, QStringList({"row", "rows", "points"}));
    }

    void defect24_aCommitIsReadByThoseItConcerns()
    {
        const ui_test::TestHome home;
        home.writeRun("still-20261121-100000-aaaa", 3, "finished");
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::RunsModel model(selection);
        ui::RunWatch watch(store, model);
        QTRY_COMPARE(model.rowCount(), 1);
        QSignalSpy changed(&store, &ui::StoreService::changed);
        home.writeRun("new-20261121-100001-bbbb", 3, "finished");
        home.ingest();
        QTRY_COMPARE(model.rowCount(), 2);
        QVERIFY(!changed.isEmpty());
        for (const auto& arguments : changed) {
            const auto changes = arguments.front().value<storage::Changes>();
            QVERIFY(!changes.isUnknown && !changes.concerns("still-20261121-100000-aaaa", {storage::Part::Run, storage::Part::Series}));
        }
        QTRY_VERIFY(model.entry("new-20261121-100001-bbbb")->status);
    }

    /// That of a run that has ended, and that nothing else is written about.
    void M1_aFolderThatVanishesIsSeen()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun("still-20261121-100000-aaaa", 3, "finished");
        home.ingest();
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::RunsModel model(selection);
        ui::RunWatch watch(store, model);
        const QString id = QString::fromStdString(run.id());
        watch.setInView([&] { return QStringList(id); });
        const auto is = [&](launcher::RunState state) { return model.entry(id) && model.entry(id)->status && model.entry(id)->status->state == state; };
        QTRY_VERIFY(is(launcher::RunState::Finished));
        const std::filesystem::path aside = home.home().data / "aside";
        std::filesystem::rename(run.root(), aside);
        QTRY_VERIFY_WITH_TIMEOUT(is(launcher::RunState::Missing), kTimeoutMs);
        std::filesystem::rename(aside, run.root());
        QTRY_VERIFY_WITH_TIMEOUT(is(launcher::RunState::Finished), kTimeoutMs);
    }

    /// A data home on a network disk: another machine starts a run in it and writes on, and tells this machine's index nothing.
    void E11_runsOfOtherMachinesAreFound()
    {
        const QTemporaryDir local;
        qputenv("ATELIER_INDEX", local.path().toUtf8());
        const auto unset = qScopeGuard([] { qunsetenv("ATELIER_INDEX"); });
        const ui_test::TestHome home;
        ui::Selection selection;
        ui::StoreService store(home.home());
        ui::RunsModel model(selection);
        ui::RunWatch watch(store, model);
        QSignalSpy loaded(&watch, &ui::RunWatch::loaded);
        QVERIFY(loaded.wait(kTimeoutMs));
        QVERIFY(!QFile::exists(QString::fromStdString((home.home().data / "atelier.db").string())));

        const contract::RunFolder run = home.writeRun("there-20261121-100000-aaaa", 0, "");
        runsElsewhere(run);
        contract::JournalWriter journal(run.journal(0), {.version = 1, .run = run.id(), .attempt = 1, .rank = 0, .host = "elsewhere",
            .startUnixMs = QDateTime::currentMSecsSinceEpoch()});
        const QString id = QString::fromStdString(run.id());
        const auto step = [&] { return model.entry(id) && model.entry(id)->status ? model.entry(id)->status->step : -1; };
        for (const std::int64_t next : {1, 2, 3}) {
            journal.begin(contract::record::kStep, next).add(contract::metric::kLoss, 0.5).commit();
            QTRY_COMPARE_WITH_TIMEOUT(step(), next, kTimeoutMs);
        }
        QCOMPARE(model.entry(id)->status->state, launcher::RunState::CutOff);
        QCOMPARE(storage::Store(home.home().database(), storage::Store::Open::ReadOnly).run(run.id())->lastStep, 3);
    }
};

ATELIER_UI_TEST_MAIN(RunWatchTest)
#include "tst_run_watch.moc"
