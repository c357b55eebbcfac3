// E3: what differs between runs.
#include "storage/ingest.h"
#include "storage/reports/comparison.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <cmath>

using storage::Compared;
using storage::Comparison;
using storage::Store;

namespace {

/// "a|b" for the row, with "-" for what is missing; empty when there is no such row.
QString row(const Comparison& comparison, Compared what, const std::string& name)
{
    for (const storage::ComparisonRow& row : comparison.rows) {
        if (row.what != what || row.name != name)
            continue;
        QStringList values;
        for (const auto& value : row.values)
            values << (!value ? "-" : value->text.empty() ? QString::number(*value->number) : QString::fromStdString(value->text));
        return values.join('|');
    }
    return {};
}

Comparison compare(const RunHome& home, const std::vector<std::string>& runs)
{
    Store store(home.database());
    storage::catchUpAll(store, home.runs());
    return compareRuns(store, runs);
}

}  // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E3_optionsAndMetricsOfRuns()
    {
        const RunHome home;
        const auto a = home.createRun("a");
        const auto b = home.createRun("b");
        beginAttempt(b, 2, 1, 2, {{"optim.lr", "0.5"}});
        append(a.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 9}}) + stepLine(3, 1, {{"loss", 4}})
            + stepLine(5, 1, {{"loss", 6}}));
        append(b.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 8}}) + stepLine(3, 1, {{"loss", 1}})
                + headerLine(2, 0) + stepLine(3, 1, {{"loss", 3}, {"extra", 7}}) + stepLine(4, 1, {{"loss", 2}}));
        const Comparison found = compare(home, {"a", "absent", "b"});
        QCOMPARE(found.runs, (std::vector<std::string> {"a", "b"}));
        QVERIFY(row(found, Compared::Parameter, "optim.lr").endsWith("|0.5"));
        QCOMPARE(row(found, Compared::Last, "loss"), QStringLiteral("6|2"));
        QCOMPARE(row(found, Compared::Lowest, "loss"), QStringLiteral("4|2"));  // 1 is superseded
        QCOMPARE(row(found, Compared::Highest, "loss"), QStringLiteral("9|8"));
        QCOMPARE(row(found, Compared::AtCommonStep, "loss"), QStringLiteral("4|3"));  // step 3, in b's second attempt
        QCOMPARE(row(found, Compared::Last, "extra"), QStringLiteral("-|7"));
        const auto common = std::ranges::find_if(found.rows,
            [](const auto& each) { return each.what == Compared::AtCommonStep && each.name == "loss"; });
        QCOMPARE(common->step, std::int64_t(3));
        QCOMPARE(titleOf(*common), std::string("loss at step 3"));
        const auto differing = std::ranges::count_if(found.rows,
            [](const auto& each) { return each.what == Compared::Parameter && each.differs(); });
        QCOMPARE(differing, std::ptrdiff_t(1));
    }

    void E3_theCommonStepIsFoundByBruteForce_data()
    {
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("otherStride");
        QTest::newRow("E3: same steps") << 1 << 1;
        QTest::newRow("E3: every tenth") << 1 << 10;
        QTest::newRow("E3: 7 and 9 meet seldom") << 7 << 9;
        QTest::newRow("E3: never") << 1000 << 999;
    }
    void E3_theCommonStepIsFoundByBruteForce()
    {
        QFETCH(int, stride);
        QFETCH(int, otherStride);
        constexpr int kLast = 900;
        const RunHome home;
        const std::pair<const char*, int> runs[] = {{"a", stride}, {"b", otherStride}};
        for (const auto& [id, every] : runs) {
            const auto folder = home.createRun(id);
            append(folder.journal(0), headerLine(1, 0));
            for (int step = every; step <= kLast; step += every)
                append(folder.journal(0), stepLine(step, step, {{"loss", step * 2.0}}));
        }
        int expected = 0;
        for (int step = 1; step <= kLast; ++step)
            expected = step % stride == 0 && step % otherStride == 0 ? step : expected;
        const QString text = QStringLiteral("%1|%1").arg(expected * 2);
        QCOMPARE(row(compare(home, {"a", "b"}), Compared::AtCommonStep, "loss"), expected == 0 ? QString() : text);
    }

    void E3_keysAreIgnored()
    {
        const RunHome home;
        home.createRun("a");
        Comparison found = compare(home, {"a"});
        const auto before = found.rows.size();
        ignoreRows(found, {"run.name", "optim.*", "absent"});
        QVERIFY(found.rows.size() < before - 2);
        QCOMPARE(row(found, Compared::Parameter, "run.name"), QString());
        QCOMPARE(row(found, Compared::Parameter, "optim.lr"), QString());
        QVERIFY(!row(found, Compared::Parameter, "run.total_steps").isEmpty());
    }

    void E3_differencesAndRatios()
    {
        using Value = std::optional<storage::ComparedValue>;
        const auto number = [](double value) { return Value(storage::ComparedValue {{}, value}); };
        const auto delta = storage::deltaOf(number(3), number(2));
        QVERIFY(delta && delta->difference == 1 && delta->ratio == 1.5);
        QVERIFY(storage::deltaOf(number(3), number(0)) && !storage::deltaOf(number(3), number(0))->ratio);
        QVERIFY(!storage::deltaOf(number(3), Value()));
        QVERIFY(!storage::deltaOf(Value(storage::ComparedValue {"adamw", {}}), number(1)));
        QVERIFY(*number(std::nan("")) == *number(std::nan("")));
    }

    void E3_csvHasEveryDigit()
    {
        Comparison comparison {{"a", "b"}, {{Compared::Parameter, "x.y", 0, {storage::ComparedValue {"one, two", {}}, std::nullopt}},
                                               {Compared::AtCommonStep, "loss", 30,
                                                   {storage::ComparedValue {{}, 0.1}, storage::ComparedValue {{}, 0.3}}}}};
        QCOMPARE(toCsv(comparison, {"first", "second"}, 0),
            std::string("what,first,second,second - first,second / first\nx.y,\"one, two\",,,\n"
                        "loss at step 30,0.1,0.3,0.19999999999999998,2.9999999999999996\n"));
        QCOMPARE(toCsv(comparison, {"first", "second"}, std::nullopt).substr(0, 18), std::string("what,first,second\n"));
    }
};

QTEST_APPLESS_MAIN(ComparisonTest)
#include "tst_comparison.moc"
