#include "engine/data/captions.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

using engine::augmentedCaption;
using engine::CaptionRules;

class CaptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void captionsStayAsTheyAreWithoutRules()
    {
        QCOMPARE(augmentedCaption("b, a,, c ", {}, 1, 2, 3), std::string("b, a,, c "));
    }

    void asManyAreDroppedAsWasAsked()
    {
        CaptionRules rules;
        rules.dropout = 0.3;
        const int count = 20000;
        int dropped = 0;
        for (int row = 0; row < count; ++row)
            dropped += augmentedCaption("x", rules, 7, 0, static_cast<std::uint64_t>(row)).empty() ? 1 : 0;
        const double deviation = std::sqrt(count * 0.3 * 0.7);
        QVERIFY2(std::abs(dropped - count * 0.3) < 5 * deviation, QByteArray::number(dropped));
        rules.dropout = 1;
        QVERIFY(augmentedCaption("x", rules, 7, 0, 0).empty());
    }

    void partsChangePlacesEachOrderAsOften()
    {
        CaptionRules rules;
        rules.isShuffled = true;
        std::map<std::string, int> orders;
        for (std::uint64_t step = 0; step < 6000; ++step)
            ++orders[augmentedCaption(" a,b , c,,", rules, 7, step, 0)];
        QCOMPARE(orders.size(), std::size_t {6});
        for (const auto& [order, times] : orders)
            QVERIFY2(std::abs(times - 1000) < 5 * std::sqrt(1000), (order + " " + std::to_string(times)).c_str());
        QVERIFY(orders.contains("c, a, b"));
    }

    void firstPartsStay()
    {
        CaptionRules rules;
        rules.isShuffled = true;
        rules.separator = "|";
        rules.fixedParts = 2;
        std::set<std::string> orders;
        for (std::uint64_t row = 0; row < 100; ++row)
            orders.insert(augmentedCaption("a|b|c|d", rules, 7, 0, row));
        const std::set<std::string> both = {"a| b| c| d", "a| b| d| c"};
        QVERIFY(orders == both);
        rules.fixedParts = 9;
        QCOMPARE(augmentedCaption("a|b", rules, 7, 0, 0), std::string("a| b"));
    }

    void captionsWithoutPartsAreEmpty()
    {
        CaptionRules rules;
        rules.isShuffled = true;
        QCOMPARE(augmentedCaption(" , ,", rules, 7, 0, 0), std::string());
        QCOMPARE(augmentedCaption("", rules, 7, 0, 0), std::string());
        rules.separator.clear();
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, augmentedCaption("a", rules, 7, 0, 0));
    }

    void drawsDependOnSeedStepAndRow()
    {
        CaptionRules rules;
        rules.isShuffled = true;
        const std::string caption = "a,b,c,d,e,f,g,h";
        const auto one = augmentedCaption(caption, rules, 1, 2, 3);
        QCOMPARE(augmentedCaption(caption, rules, 1, 2, 3), one);
        QVERIFY(augmentedCaption(caption, rules, 2, 2, 3) != one);
        QVERIFY(augmentedCaption(caption, rules, 1, 3, 3) != one);
        QVERIFY(augmentedCaption(caption, rules, 1, 2, 4) != one);
    }
};

QTEST_GUILESS_MAIN(CaptionsTest)
#include "tst_captions.moc"
