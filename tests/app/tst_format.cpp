#include "app/cli/format.h"

#include <QtTest>

#include <cmath>

using namespace std::chrono_literals;

class FormatTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersHaveFourSignificantDigits()
    {
        QCOMPARE(app::formatNumber(0.312749), "0.3127");
        QCOMPARE(app::formatNumber(123456), "1.235e+05");
        QCOMPARE(app::formatNumber(std::nan("")), "NaN");
        QCOMPARE(app::formatNumber(-INFINITY), "-Infinity");
    }

    void countsAreGrouped()
    {
        QCOMPARE(app::formatCount(0), "0");
        QCOMPARE(app::formatCount(999), "999");
        QCOMPARE(app::formatCount(1797), "1,797");
        QCOMPARE(app::formatCount(-1234567), "-1,234,567");
        QCOMPARE(app::formatCount(-999), "-999");
    }

    void bytesKeepThreeDigits()
    {
        QCOMPARE(app::formatBytes(0), "0 B");
        QCOMPARE(app::formatBytes(999), "999 B");
        QCOMPARE(app::formatBytes(999999), "1.0 MB");
        QCOMPARE(app::formatBytes(80100000000), "80.1 GB");
        QCOMPARE(app::formatBytes(UINT64_MAX), "18446.7 PB");
    }

    void durationsCarryTheirUnits()
    {
        QCOMPARE(app::formatDuration(0ms), "0 s");
        QCOMPARE(app::formatDuration(59499ms), "59 s");
        QCOMPARE(app::formatDuration(59600ms), "1 min 00 s");
        QCOMPARE(app::formatDuration(80s), "1 min 20 s");
        QCOMPARE(app::formatDuration(2h + 5min), "2 h 05 min");
        QCOMPARE(app::formatDuration(-5s), "0 s");
    }

    void columnsLineUpWhateverTheScript()
    {
        app::Table table({{"NAME"}, {"STEP", app::Table::Align::Right}, {"LAST"}});
        table.addRow({"über", "5", "x"});
        table.addRow({"a", "1,000"});
        QCOMPARE(table.text(), "NAME   STEP  LAST\nüber      5  x\na     1,000  \n");
    }

    void controlCharactersNeverReachTheTerminal()
    {
        QCOMPARE(app::printable("a\x1b[31m\nb\x7f ü"), "a [31m b  ü");
    }
};

QTEST_APPLESS_MAIN(FormatTest)
#include "tst_format.moc"
