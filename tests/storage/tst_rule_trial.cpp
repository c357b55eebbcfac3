// N7: where rules would have fired in a run that the database has.
#include "storage/ingest.h"
#include "storage/reports/rule_trial.h"
#include "tests/storage/run_home.h"

#include <QtTest>

using storage::RuleTrial;
using storage::Store;

class RuleTrialTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N7_everyAttemptIsTried()
    {
        const RunHome home;
        const auto run = home.createRun("a", 2);
        beginAttempt(run, 2, 1, 3);
        append(run.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 1}}) + stepLine(2, 1, {{"loss", 5}}) + stepLine(3, 1, {{"loss", 6}})
                + stepLine(4, 1, {{"loss", 1}}) + stepLine(5, 1, {{"loss", 7}}) + headerLine(2, 0) + stepLine(4, 1, {{"loss", 8}}));
        append(run.journal(1), headerLine(1, 1) + stepLine(1, 1, {{"loss", 99}}));  // only rank 0 counts
        Store store(home.database());
        storage::catchUpAll(store, home.runs());
        const auto trials = storage::tryRules(store, "a",
            contract::parseActingRules("loss > 2: stop | loss > 2 for 2 steps: notify | loss > 50: stop | absent > 1: stop").rules);
        QCOMPARE(trials.size(), std::size_t(4));
        QCOMPARE(trials[0].firings, (std::vector<RuleTrial::Firing> {{1, 2, 5}, {1, 5, 7}, {2, 4, 8}}));
        QCOMPARE(trials[1].firings, (std::vector<RuleTrial::Firing> {{1, 3, 6}}));
        QVERIFY(trials[2].firings.empty() && trials[2].isRecorded);
        QVERIFY(trials[3].firings.empty() && !trials[3].isRecorded);
    }
};

QTEST_APPLESS_MAIN(RuleTrialTest)
#include "tst_rule_trial.moc"
