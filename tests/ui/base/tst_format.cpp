#include "tests/ui/support/ui_test_main.h"
#include "ui/base/format.h"

#include <limits>

using namespace std::chrono_literals;

class FormatTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersHaveFourSignificantDigits_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("small") << 0.183249 << "0.1832";
        QTest::newRow("tiny") << 1.2346e-7 << "1.235e-07";
        QTest::newRow("whole") << 12.0 << "12";
        QTest::newRow("nothing") << std::numeric_limits<double>::quiet_NaN() << "NaN";
        QTest::newRow("endless") << -std::numeric_limits<double>::infinity() << "−∞";
    }
    void numbersHaveFourSignificantDigits()
    {
        QFETCH(double, value);
        QTEST(ui::formatNumber(value), "text");
    }

    void exactTextReadsBack()
    {
        const double value = 0.1 + 0.2;
        QCOMPARE(QLocale().toDouble(ui::formatExact(value)), value);
    }

    void durationsShowTheTwoLargestUnits()
    {
        QCOMPARE(ui::formatDuration(350ms), QStringLiteral("350 ms"));
        QCOMPARE(ui::formatDuration(14s), QStringLiteral("14 s"));
        QCOMPARE(ui::formatDuration(125s), QStringLiteral("2 min 5 s"));
        QCOMPARE(ui::formatDuration(2h + 5min + 9s), QStringLiteral("2 h 5 min"));
        QCOMPARE(ui::formatDuration(50h), QStringLiteral("2 d 2 h"));
    }

    void agesGrowAndNeverGoBelowNow()
    {
        QCOMPARE(ui::formatAge(10'000, 24'000), QStringLiteral("14 s ago"));
        QCOMPARE(ui::formatAge(10'000, 10'000 + 5 * 60'000), QStringLiteral("5 min ago"));
        // After a clock was set back, a record with a time in the future must not get a negative age.
        QCOMPARE(ui::formatAge(50'000, 10'000), QStringLiteral("now"));
    }

    void bytesAreDecimal()
    {
        QCOMPARE(ui::formatBytes(1'200'000'000), QStringLiteral("1.2 GB"));
        QCOMPARE(ui::formatBytes(12), QStringLiteral("12 bytes"));
        QCOMPARE(ui::formatPercent(0.975), QStringLiteral("97.5 %"));
    }

    void countsAgreeWithTheirNoun_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("text");
        QTest::newRow("defect-47: none") << 0 << "0 tensors";
        QTest::newRow("defect-47: one") << 1 << "1 tensor";
        QTest::newRow("defect-47: many") << 5 << "5 tensors";
    }
    void countsAgreeWithTheirNoun()
    {
        QFETCH(int, count);
        QTEST(ui::formatCounted(count, "1 tensor", "%n tensors"), "text");
    }
};

ATELIER_UI_TEST_MAIN(FormatTest)
#include "tst_format.moc"
