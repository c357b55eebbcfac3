// The states of runs are determined in the order in which the user waits for them.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/runs/run_watch.h"

#include <QSignalSpy>

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
};

ATELIER_UI_TEST_MAIN(RunWatchTest)
#include "tst_run_watch.moc"
