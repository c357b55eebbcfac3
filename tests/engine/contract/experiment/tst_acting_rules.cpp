// N7: the text of rules that act, and when a rule fires.
#include "engine/contract/experiment/acting_rules.h"
#include "engine/contract/experiment/experiment.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using contract::ActingRule;
using Action = ActingRule::Action;
using Test = ActingRule::Test;

class ActingRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N7_whatARuleSays()
    {
        const auto parsed = contract::parseActingRules(
            " loss is not finite: stop |grad_norm>1e2 for 5 steps : notify , checkpoint| critic/rewards/mean >= 0.9:sample | lr < -0.5 for 1 step: stop");
        QVERIFY2(parsed.problem.empty(), parsed.problem.c_str());
        QCOMPARE(parsed.rules.size(), std::size_t(4));
        QCOMPARE(parsed.rules[0].metric, std::string("loss"));
        QVERIFY(parsed.rules[0].test == Test::NotFinite && parsed.rules[0].actions == std::vector {Action::Stop});
        QCOMPARE(parsed.rules[1].text, std::string("grad_norm>1e2 for 5 steps : notify , checkpoint"));
        QVERIFY(parsed.rules[1].test == Test::Greater && parsed.rules[1].limit == 100 && parsed.rules[1].steps == 5);
        QVERIFY((parsed.rules[1].actions == std::vector {Action::Notify, Action::Checkpoint}));
        QVERIFY(parsed.rules[2].metric == "critic/rewards/mean" && parsed.rules[2].test == Test::GreaterOrEqual && parsed.rules[2].limit == 0.9);
        QVERIFY(parsed.rules[3].test == Test::Less && parsed.rules[3].limit == -0.5 && parsed.rules[3].steps == 1);
        QVERIFY(contract::parseActingRules("  ").rules.empty() && contract::parseActingRules("").problem.empty());
    }

    void N7_aMistakeIsNamed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("problem");
        QTest::newRow("no action") << "loss > 2" << "\"loss > 2\" names no action";
        QTest::newRow("unknown action") << "loss > 2: explode" << "\"explode\" is no action";
        QTest::newRow("no number") << "loss > much: stop" << "\"loss > much\" is no condition";
        QTest::newRow("no metric") << "> 2: stop" << "\"> 2\" is no condition";
        QTest::newRow("no condition") << "loss: stop" << "\"loss\" is no condition";
        QTest::newRow("infinite limit") << "loss > inf: stop" << "is no condition";
        QTest::newRow("no steps") << "loss > 2 for 0 steps: stop" << "\"0\" is no number of steps";
        QTest::newRow("an empty rule") << "loss > 2: stop | " << "a rule is empty";
        QTest::newRow("an empty action") << "loss > 2: stop, " << "\"\" is no action";
    }
    void N7_aMistakeIsNamed()
    {
        QFETCH(QString, text);
        QFETCH(QString, problem);
        const auto parsed = contract::parseActingRules(text.toStdString());
        QVERIFY(parsed.rules.empty());
        QVERIFY2(QString::fromStdString(parsed.problem).contains(problem), parsed.problem.c_str());
        contract::Experiment experiment;
        experiment.setText("run.rules", text.toStdString());
        bool isSaid = false;
        for (const contract::Problem& found : experiment.validate())
            isSaid = isSaid || (found.key == "run.rules" && found.message.find(parsed.problem) != std::string::npos);
        QVERIFY(isSaid);
    }

    void N7_aRuleFiresOnceWhileItsConditionHolds()
    {
        contract::RuleWatch watch(contract::parseActingRules("loss > 2 for 3 steps: stop").rules.front());
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const std::vector<std::tuple<int, double, bool>> values = {{1, 3, false}, {2, 3, false}, {3, 1, false}, {4, 3, false}, {5, 3, false}, {6, 3, true},
            {7, 9, false}, {8, nan, false}, {9, 3, false}, {20, 3, true}};
        for (const auto& [step, value, fires] : values)
            QVERIFY2(watch.take(step, value) == fires, qPrintable(QString::number(step)));
    }

    void N7_valuesThatAreNotFinite()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
        for (const char* text : {"x < 1: stop", "x > 1: stop", "x <= 1: stop", "x >= 1: stop"}) {
            const ActingRule rule = contract::parseActingRules(text).rules.front();
            QVERIFY(!rule.isMet(nan) && !rule.isMet(infinity) && !rule.isMet(-infinity));
        }
        const ActingRule rule = contract::parseActingRules("x is not finite: stop").rules.front();
        QVERIFY(rule.isMet(nan) && rule.isMet(-infinity) && !rule.isMet(1e308));
    }

    /// Any bytes are either rules or a mistake.
    void N7_anyTextIsReadOrRefused()
    {
        std::mt19937 random(11);
        const std::string letters = "loss >=<:|,.0159-+einf for steps stopnotify\t\n\xff";
        for (int i = 0; i < 20000; ++i) {
            std::string text;
            for (auto n = random() % 40; n > 0; --n)
                text += letters[random() % letters.size()];
            const auto parsed = contract::parseActingRules(text);
            QVERIFY(parsed.problem.empty() || parsed.rules.empty());
            for (const ActingRule& rule : parsed.rules)
                QVERIFY(!rule.metric.empty() && !rule.actions.empty() && rule.steps > 0);
        }
    }
};

QTEST_APPLESS_MAIN(ActingRulesTest)
#include "tst_acting_rules.moc"
