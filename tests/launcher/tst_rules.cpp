// N7: rules act on runs of real supervisors with fake ranks, whose loss at step n is 1 / n.
#include "engine/contract/run/journal_writer.h"
#include "launcher/runs/launch.h"
#include "launcher/state/journal_end.h"
#include "launcher/supervisor/rule_runner.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QTest>

#include <fstream>

using launcher::RunState;

namespace {

constexpr int kTimeoutMs = 20'000;

contract::RunFolder started(const TestHome& home, const char* rules)
{
    contract::Experiment experiment = home.experiment();
    experiment.setText("run.rules", rules);
    const contract::RunFolder folder = launcher::createRun(home.home(), experiment).folder;
    launcher::startSupervisor(folder);
    return folder;
}

}  // namespace

class RulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N7_aRuleStopsTheRunWithACheckpoint()
    {
        const TestHome home;
        const contract::RunFolder folder = started(home, "loss < 0.1: stop");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stopped, kTimeoutMs);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(1));
        QVERIFY(folder.checkpointSteps().front() >= 11);
        const launcher::RunStatus status = launcher::inspectRun(folder);
        QVERIFY2(QString::fromStdString(status.rule).startsWith("loss < 0.1: stop (loss is 0.09"), status.rule.c_str());
        QVERIFY(status.ruleUnixMs > 0);
        const auto end = launcher::readJournalEnd(folder.journal(contract::kSupervisorRank), 1);
        QCOMPARE(QString::fromStdString(end.cause), "stopped by the rule " + QString::fromStdString(status.rule));
    }

    void N7_aRuleWritesACheckpointAndTheRunGoesOn()
    {
        const TestHome home;
        const contract::RunFolder folder = started(home, "loss <= 0.25: checkpoint, notify | loss > 7: stop | no_such_metric > 1: stop");
        QTRY_VERIFY_WITH_TIMEOUT(!folder.checkpointSteps().empty(), kTimeoutMs);
        QVERIFY(folder.checkpointSteps().front() >= 4);
        QCOMPARE(stateOf(folder), RunState::Running);
        QCOMPARE(recordsWith(folder.journal(contract::kSupervisorRank), "kind", "rule"), 1);
    }

    void N7_whatAnEarlierAttemptRecordedDoesNotFire()
    {
        const TestHome home;
        const auto file = home.path() / "journal.jsonl";
        const auto write = [&](int attempt, double loss) {
            contract::JournalWriter journal(file, {.version = 1, .run = "a", .attempt = attempt, .rank = 0, .host = {}, .startUnixMs = 0});
            journal.begin(contract::record::kStep, 5).add("loss", loss).commit();
        };
        write(1, 9);
        const auto rules = contract::parseActingRules("loss > 2: stop").rules;
        launcher::RuleRunner runner(rules, file, static_cast<std::int64_t>(std::filesystem::file_size(file)));
        QVERIFY(runner.poll().empty());
        write(2, 8);
        const auto fired = runner.poll();
        QCOMPARE(fired.size(), std::size_t(1));
        QCOMPARE(fired[0].value, 8.0);
        QVERIFY(runner.poll().empty());
    }

    void N7_aLineThatIsBeingWrittenIsReadWhenItIsWhole()
    {
        const TestHome home;
        const auto file = home.path() / "journal.jsonl";
        std::ofstream stream(file);
        launcher::RuleRunner runner(contract::parseActingRules("loss > 2: notify").rules, file, 0);
        {
            const auto other = home.path() / "other.jsonl";
            contract::JournalWriter journal(other, {.version = 1, .run = "a", .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
            journal.begin(contract::record::kStep, 3).add("loss", 9.0).add("note", std::string(200'000, 'x')).commit();
            std::ifstream whole(other);
            const std::string text((std::istreambuf_iterator<char>(whole)), {});
            stream << text.substr(0, text.size() - 20) << std::flush;
            QVERIFY(runner.poll().empty());
            stream << text.substr(text.size() - 20) << std::flush;
        }
        QCOMPARE(runner.poll().size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(RulesTest)
#include "tst_rules.moc"
