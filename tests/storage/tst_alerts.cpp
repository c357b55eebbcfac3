// E9: what has happened in all runs, from the ends of their attempts and the events in their journals.
#include "storage/ingest.h"
#include "storage/store.h"
#include "tests/storage/run_home.h"

#include <QtTest>

using AlertKind = storage::AlertRow::Kind;

namespace {

std::string eventLine(double tMs, std::int64_t step, const std::string& kind, const std::string& message)
{
    return R"({"type":"event","step":)" + std::to_string(step) + R"(,"t_ms":)" + std::to_string(tMs) + R"(,"level":"warning","kind":")" + kind
        + R"(","message":")" + message + "\"}\n";
}

std::string endLine(double tMs, std::int64_t step, const std::string& outcome, const std::string& cause)
{
    return R"({"type":"end","step":)" + std::to_string(step) + R"(,"t_ms":)" + std::to_string(tMs) + R"(,"outcome":")" + outcome + R"(","cause":")" + cause
        + "\"}\n";
}

}  // namespace

class AlertsTest : public QObject {
    Q_OBJECT

    static std::vector<storage::AlertRow> alerts(const RunHome& home, const std::string& run = {}, int limit = 100)
    {
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        return store.alerts(run, limit);
    }

private Q_SLOTS:
    void E9_endsAndEventsOfAllRunsNewestFirst()
    {
        const RunHome home;
        const auto first = home.createRun("first"), second = home.createRun("second"), stopped = home.createRun("stopped");
        append(first.journal(0), headerLine(1, 0, 10'000) + stepLine(7, 100, {{"loss", 1}}) + endLine(150, 7, "failed", "a rank's view"));
        append(first.journal(-1), headerLine(1, -1, 10'000) + eventLine(50, 0, "stalled", "No rank has written") + eventLine(60, 0, "recovered", "again")
                + eventLine(70, 5, "rule", "loss > 1: notify (loss is 2 at step 5)") + eventLine(80, 0, "disk_low", "1.0 GB are free")
                + eventLine(90, 6, "not_saved", "checkpoint not written at step 6: No space left on device")
                + endLine(200, 7, "failed", "Rank 1 was killed"));
        append(second.journal(0), headerLine(1, 0, 20'000) + stepLine(9, 100, {{"loss", 1}}) + endLine(300, 9, "finished", ""));
        append(stopped.journal(0), headerLine(1, 0, 30'000) + stepLine(9, 100, {{"loss", 1}}) + endLine(300, 9, "stopped", ""));
        const std::vector<storage::AlertRow> expected = {
            {"second", 1, 9, 20'300, AlertKind::Finished, ""},
            {"first", 1, 7, 10'200, AlertKind::Failed, "Rank 1 was killed"},  // the supervisor's word, not the rank's
            {"first", 1, 6, 10'090, AlertKind::NotSaved, "checkpoint not written at step 6: No space left on device"},
            {"first", 1, 0, 10'080, AlertKind::DiskLow, "1.0 GB are free"},
            {"first", 1, 5, 10'070, AlertKind::Rule, "loss > 1: notify (loss is 2 at step 5)"},
            {"first", 1, 0, 10'050, AlertKind::Stalled, "No rank has written"},
        };
        QVERIFY(alerts(home) == expected);
        QVERIFY(alerts(home, "second") == std::vector(expected.begin(), expected.begin() + 1));
        QVERIFY(alerts(home, {}, 2) == std::vector(expected.begin(), expected.begin() + 2));
        QVERIFY(alerts(home, "unknown").empty());
    }

    /// It may run, or was interrupted: the caller knows the run's state.
    void E9_anAttemptWithoutAnEndIsToldAsSuch()
    {
        const RunHome home;
        const auto run = home.createRun("first");
        append(run.journal(-1), headerLine(1, -1, 10'000) + eventLine(50, 0, "notice", "2 ranks started"));
        append(run.journal(0), headerLine(1, 0, 10'000) + stepLine(3, 400, {{"loss", 1}}));
        const std::vector<storage::AlertRow> expected = {{"first", 1, 3, 10'400, AlertKind::NoEnd, ""}};
        QVERIFY(alerts(home) == expected);
    }

    void E9_aRestartStandsForTheFailureThatLedToIt()
    {
        const RunHome home;
        const auto run = home.createRun("first");
        append(run.journal(-1), headerLine(1, -1, 10'000) + eventLine(100, 4, "restarting", "Rank 0 was killed; waits 1 s before restart 1 of 3"));
        QCOMPARE(alerts(home).size(), std::size_t(2));  // and the end that is still to come
        append(run.journal(-1), endLine(1100, 4, "failed", "Rank 0 was killed"));
        QCOMPARE(alerts(home).size(), std::size_t(2));  // until it has been started again, it may just have failed
        beginAttempt(run, 2, 1);
        append(run.journal(-1), headerLine(2, -1, 12'000) + endLine(500, 8, "finished", ""));
        const auto found = alerts(home);
        QCOMPARE(found.size(), std::size_t(2));
        QVERIFY(found[0].kind == AlertKind::Finished && found[0].attempt == 2);
        QVERIFY(found[1].kind == AlertKind::Restarting && found[1].step == 4 && found[1].unixMs == 10'100);
    }
};

QTEST_GUILESS_MAIN(AlertsTest)
#include "tst_alerts.moc"
