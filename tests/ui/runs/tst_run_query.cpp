// M10: the typed filter of the runs table.
#include "tests/ui/support/ui_test_main.h"
#include "ui/runs/run_query.h"

#include <cmath>

using storage::RunField;
using ui::RunQuery;

namespace {

const storage::FieldNames kNames = {{"optim.lr", "optim.kind", "old.option"}, {"loss", "validation/loss"}};

/// A run with optim.lr = 0.0003, optim.kind = "adamw", loss 0.15 and min(loss) 0.1; without validation/loss.
struct Example {
    std::vector<RunField> fields = {{RunField::Kind::Parameter, "optim.lr"}, {RunField::Kind::Parameter, "optim.kind"},
        {RunField::Kind::Last, "loss"}, {RunField::Kind::Lowest, "loss"}, {RunField::Kind::Last, "validation/loss"}};
    ui::RunEntry entry;

    Example()
    {
        entry.row.id = "digits-20261121-101500-x3k9";
        entry.row.name = "Lower rate";
        entry.row.project = "Faces 2";
        entry.row.tags = {"lora", "r16"};
        entry.row.notes = "Diverges after the warm-up.";
        entry.row.totalSteps = 100;
        entry.row.lastStep = 40;
        entry.row.ranks = 2;
        entry.row.attempts = 1;
        entry.status.emplace();
        entry.status->state = launcher::RunState::Failed;
        entry.values = {ui::optionValue("0.0003"), ui::optionValue("adamw"), {{}, 0.15}, {{}, 0.1}, {}};
    }
};

}  // namespace

class RunQueryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void M10_runsMatch_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<bool>("isMatch");
        const std::initializer_list<std::pair<const char*, bool>> rows = {{"", true}, {"  ", true}, {"lower", true},
            {"lower absent", false},
            {"FACES", true}, {"failed", true}, {"warm-up", true}, {"x3k9", true}, {"absent or lora", true}, {"not absent", true},
            {"not lora", false}, {"\"lower rate\"", true}, {"\"rate lower\"", false}, {"loss < 0.2", true}, {"loss<0.2", true},
            {"loss < 0.15", false}, {"loss <= 0.15", true}, {"loss > 1e-1", true}, {"loss = 0.15", true}, {"loss != 0.15", false},
            {"min(loss) <= 0.1", true}, {"lowest(loss) < 0.1", false}, {"loss < 0.2 and tag:lora", true}, {"loss < 0.2 tag:other", false},
            {"tag:lor", false}, {"tag:LORA", true}, {"tag != lora", false}, {"state:failed", true}, {"state:running", false},
            {"state != running", true}, {"project:faces", true}, {"project = faces", false}, {"project = \"faces 2\"", true},
            {"name:rate", true}, {"note:diverges", true}, {"optim.lr >= 1e-4", true}, {"optim.lr = 3e-4", true}, {"optim.lr > 1", false},
            {"optim.kind = AdamW", true}, {"optim.kind:adam", true}, {"optim.kind != muon", true}, {"optim.kind > 1", false},
            {"step = 40", true}, {"steps > 50 ranks = 2 attempts < 2", true}, {"step > 40", false}, {"validation/loss < 9", false},
            {"validation/loss != 9", false}, {"not validation/loss < 9", true}, {"(absent or lora) and (loss > 1 or step < 50)", true},
            {"absent or lora and nothing", false}, {"NOT (loss > 1 OR tag:other)", true}};
        for (const auto& [query, isMatch] : rows)
            QTest::addRow("M10: %s", query) << QString::fromUtf8(query) << isMatch;
    }
    void M10_runsMatch()
    {
        QFETCH(QString, query);
        const Example example;
        const auto parsed = RunQuery::parse(query, &kNames);
        QVERIFY2(!parsed.problem, parsed.problem ? qPrintable(parsed.problem->sentence) : "");
        QTEST(parsed.query.matches(example.entry, example.fields), "isMatch");
    }

    void M10_divergedRunsAreFound()
    {
        Example example;
        example.entry.values[2].number = std::nan("");
        const auto matches = [&](const char* query) {
            return RunQuery::parse(query, &kNames).query.matches(example.entry, example.fields);
        };
        QVERIFY(matches("loss = nan"));
        QVERIFY(!matches("loss != nan"));
        QVERIFY(!matches("loss < 0.2"));
        QVERIFY(!matches("loss > 0.2"));
    }

    void M10_aMistakeIsExplainedAtItsPlace_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("marked");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("M10: unknown name") << "tag:lora los < 0.2" << "los"
            << "No run has an option or a metric called “los”; did you mean “loss”?";
        QTest::newRow("M10: unlike any name") << "entirely_else < 0.2" << "entirely_else"
            << "No run has an option or a metric called “entirely_else”.";
        QTest::newRow("M10: unknown metric") << "min(validation/lss) < 1" << "validation/lss"
            << "No run has an option or a metric called “validation/lss”; did you mean “validation/loss”?";
        QTest::newRow("M10: no number") << "loss < small" << "small" << "“small” is not a number; numbers are written as 0.2 or 1e-4.";
        QTest::newRow("M10: order of text") << "name < 3" << "<" << "“<” compares numbers, and this is text: use :, = or !=.";
        QTest::newRow("M10: no value") << "loss <" << "<" << "“<” needs a value after it.";
        QTest::newRow("M10: no name") << "lora < 3 > 4" << ">" << "“>” needs a name before it, as in loss < 0.2.";
        QTest::newRow("M10: odd operator") << "loss =< 3" << "=" << "“=” needs a value after it.";
        QTest::newRow("M10: no state") << "state:runing" << "runing" << "“runing” is no state; the states are prepared, queued, starting,";
        QTest::newRow("M10: open parenthesis") << "a (b or c" << "(" << "This parenthesis is not closed.";
        QTest::newRow("M10: closed parenthesis") << "a) b" << ")" << "This parenthesis has no counterpart before it.";
        QTest::newRow("M10: open quotation") << "a \"b c" << "\"b c" << "This quotation mark is not closed.";
        QTest::newRow("M10: end after or") << "a or" << "or" << "“or” needs a condition after it.";
        QTest::newRow("M10: or at the start") << "or a" << "or" << "“or” needs a condition before it.";
        QTest::newRow("M10: empty group") << "a ()" << "(" << "“(” needs a condition after it.";
        QTest::newRow("M10: not compared") << "min(loss)" << "min" << "min(loss) must be compared, as in min(loss) < 0.2.";
        QTest::newRow("M10: unknown function") << "mean(loss) < 3" << "mean" << "“mean” is not known here:";
    }
    void M10_aMistakeIsExplainedAtItsPlace()
    {
        QFETCH(QString, query);
        QFETCH(QString, marked);
        QFETCH(QString, sentence);
        const storage::FieldNames names = {kNames.parameters, {"loss", "validation/loss", "lora"}};
        const auto parsed = RunQuery::parse(query, &names);
        QVERIFY(parsed.problem);
        QVERIFY2(parsed.problem->sentence.startsWith(sentence), qPrintable(parsed.problem->sentence));
        QCOMPARE(query.mid(parsed.problem->position, parsed.problem->length), marked);
        QVERIFY(parsed.query.isEmpty());
    }

    void M10_fieldsAreListedOnce()
    {
        const auto query = RunQuery::parse("loss < 1 or loss > 2 or min(loss) > 3 or optim.lr = 1 or old.option = x", &kNames).query;
        QCOMPARE(query.fields().size(), std::size_t(4));
        QVERIFY(query.fields()[1] == (RunField {RunField::Kind::Lowest, "loss"}));
        QVERIFY(query.fields()[3] == (RunField {RunField::Kind::Parameter, "old.option"}));
    }

    /// Before the database has answered, no name is refused.
    void M10_anyNameMayBeAMetricUntilTheNamesAreKnown()
    {
        const auto parsed = RunQuery::parse("anything < 1", nullptr);
        QVERIFY(!parsed.problem);
        QVERIFY(parsed.query.fields().front() == (RunField {RunField::Kind::Last, "anything"}));
    }
};

ATELIER_UI_TEST_MAIN(RunQueryTest)
#include "tst_run_query.moc"
