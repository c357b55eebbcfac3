#include "tests/ui/support/ui_test_main.h"
#include "ui/runs/run_entry.h"

using launcher::RunState;
using ui::RunVerb;

class RunEntryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// M5: the operations that are available in each state.
    void m05_stateDecidesWhatIsOffered_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("offered");  // Stop, stop Now, Kill, Checkpoint, sAmple, Resume, Edit in the queue, Trash, Begin, Queue
        QTest::newRow("prepared") << int(RunState::Prepared) << "TBQ";
        QTest::newRow("queued") << int(RunState::Queued) << "ETB";
        QTest::newRow("missing") << int(RunState::Missing) << "";
        QTest::newRow("starting") << int(RunState::Starting) << "SNK";
        QTest::newRow("running") << int(RunState::Running) << "SNKCA";
        QTest::newRow("stalled") << int(RunState::Stalled) << "SNKCA";
        QTest::newRow("stopping") << int(RunState::Stopping) << "NK";
        QTest::newRow("finished") << int(RunState::Finished) << "RTQ";
        QTest::newRow("stopped") << int(RunState::Stopped) << "RTQ";
        QTest::newRow("failed") << int(RunState::Failed) << "RTQ";
        QTest::newRow("interrupted") << int(RunState::Interrupted) << "RTQ";
        QTest::newRow("cut off") << int(RunState::CutOff) << "";
    }
    void m05_stateDecidesWhatIsOffered()
    {
        QFETCH(int, state);
        QFETCH(QString, offered);
        ui::RunEntry entry;
        entry.status.emplace();
        entry.status->state = RunState(state);
        const QString letters = QStringLiteral("SNKCARETBQ");
        for (int verb = 0; verb < letters.size(); ++verb) {
            const QString reason = ui::refusal(RunVerb(verb), entry);
            QCOMPARE(reason.isEmpty(), offered.contains(letters[verb]));
        }
    }

    void m05_aRunWithAJobInSlurmIsStoppedFirst_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("offered");
        QTest::newRow("it waits") << int(RunState::Queued) << "SNK";
        QTest::newRow("it starts") << int(RunState::Starting) << "SNK";
        QTest::newRow("it trains") << int(RunState::Running) << "SNKCA";
        QTest::newRow("it has ended, its job not yet") << int(RunState::Finished) << "NK";
    }
    void m05_aRunWithAJobInSlurmIsStoppedFirst()
    {
        QFETCH(int, state);
        QFETCH(QString, offered);
        ui::RunEntry entry;
        entry.status.emplace();
        entry.status->state = RunState(state);
        entry.status->slurmJob = "12";
        const QString letters = QStringLiteral("SNKCARETBQ");
        for (int verb = 0; verb < letters.size(); ++verb)
            QVERIFY2(ui::refusal(RunVerb(verb), entry).isEmpty() == offered.contains(letters[verb]), qPrintable(letters.mid(verb, 1)));
    }

    void whatWaitsIsStartedNotResumed()
    {
        ui::RunEntry entry;
        entry.status.emplace();
        entry.status->state = RunState::Queued;
        QCOMPARE(ui::refusal(RunVerb::Resume, entry), QStringLiteral("The run waits in the queue. Start it."));
        QCOMPARE(ui::refusal(RunVerb::Queue, entry), QStringLiteral("The run waits in the queue already."));
        entry.status->state = RunState::Prepared;
        QCOMPARE(ui::refusal(RunVerb::Resume, entry), QStringLiteral("The run has not been started yet. Start it."));
    }

    void m14_onlyAnActiveRunIsCalledSilent_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<qint64>("lastRecord");
        QTest::addColumn<QString>("text");
        constexpr qint64 kNow = 1'000'000;
        QTest::newRow("running, a moment ago") << int(RunState::Running) << kNow - 9'000 << QString();
        QTest::newRow("running, silent") << int(RunState::Running) << kNow - 14'000 << "Last record 14 s ago";
        QTest::newRow("stalled") << int(RunState::Stalled) << kNow - 90'000 << "Last record 1 min ago";
        QTest::newRow("no record yet") << int(RunState::Starting) << qint64(0) << QString();
        QTest::newRow("finished") << int(RunState::Finished) << kNow - 14'000 << QString();
    }
    void m14_onlyAnActiveRunIsCalledSilent()
    {
        QFETCH(int, state);
        QFETCH(qint64, lastRecord);
        ui::RunEntry entry;
        entry.status.emplace();
        entry.status->state = RunState(state);
        entry.status->lastRecordUnixMs = lastRecord;
        QTEST(entry.silence(1'000'000), "text");
    }

    void m14_oneSilentRunIsNamedAndSeveralAreCounted()
    {
        constexpr qint64 kNow = 1'000'000;
        const auto silentSince = [](const char* name, qint64 lastRecord) {
            ui::RunEntry entry;
            entry.row.name = name;
            entry.row.lastRecordUnixMs = lastRecord;
            entry.status.emplace();
            entry.status->state = RunState::Running;
            return entry;
        };
        const ui::RunEntry quiet = silentSince("quiet", kNow - 14'000);
        const ui::RunEntry lively = silentSince("lively", kNow - 1'000);
        QCOMPARE(ui::silentRuns({lively}, kNow), QString());
        QCOMPARE(ui::silentRuns({lively, quiet}, kNow), QStringLiteral("quiet: Last record 14 s ago"));
        QCOMPARE(ui::silentRuns({quiet, lively, quiet}, kNow), QStringLiteral("2 active runs are silent."));
    }

    /// Copying a run changes its file times but not the times in its records.
    void m01_theTimesOfARunThatIsOverAreTheJournals()
    {
        ui::RunEntry entry;
        entry.row.lastRecordUnixMs = 1000;
        entry.status.emplace();
        entry.status->lastRecordUnixMs = 5000;
        entry.status->state = RunState::Finished;
        QCOMPARE(entry.lastRecordUnixMs(), std::int64_t(1000));
        entry.status->state = RunState::Running;
        QCOMPARE(entry.lastRecordUnixMs(), std::int64_t(5000));
    }

    void m05_nothingIsOfferedBeforeTheStateIsKnown()
    {
        for (int verb = 0; verb <= int(RunVerb::Trash); ++verb)
            QVERIFY(!ui::refusal(RunVerb(verb), {}).isEmpty());
    }
};

ATELIER_UI_TEST_MAIN(RunEntryTest)
#include "tst_run_entry.moc"
