// M13: the times of log lines, with and without a zone.
#include "engine/contract/run/log_time.h"

#include <QtTest>

#include <ctime>

class LogTimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A zone with summer time, by its rule alone: no zone files are needed.
    void initTestCase()
    {
        qputenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
        ::tzset();
    }

    void M13_times_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<qint64>("unixMs");
        QTest::addColumn<QByteArray>("shown");
        const qint64 noon = 1795262400123;  // 2026-11-21 12:00:00.123 UTC
        const QByteArray shown = "2026-11-21 13:00:00.123 [info] a";
        QTest::newRow("M13 without a zone") << shown << noon << shown;
        QTest::newRow("M13 UTC") << QByteArray("2026-11-21 12:00:00.123+00:00 [info] a") << noon << shown;
        QTest::newRow("M13 ahead") << QByteArray("2026-11-22 01:30:00.123+13:30 [info] a") << noon << shown;
        QTest::newRow("M13 behind") << QByteArray("2026-11-21 08:30:00.123-03:30 [info] a") << noon << shown;
        QTest::newRow("M13 summer") << QByteArray("2026-07-01 12:00:00.000+00:00 a") << qint64(1782907200000) << QByteArray("2026-07-01 14:00:00.000 a");
        QTest::newRow("M13 old, summer") << QByteArray("2026-07-01 14:00:00.000 a") << qint64(1782907200000) << QByteArray("2026-07-01 14:00:00.000 a");
        QTest::newRow("M13 only a time") << QByteArray("2026-11-21 12:00:00.123+00:00") << noon << QByteArray("2026-11-21 13:00:00.123");
        QTest::newRow("M13 a sign is no zone") << QByteArray("2026-11-21 13:00:00.123+0 a") << noon << QByteArray("2026-11-21 13:00:00.123+0 a");
        for (const char* line : {"", "2026-11-21", "2026-13-01 12:00:00.123+00:00 a", "2026-02-30 12:00:00.123 a", "  2026-11-21 12:00:00.123 a", "0000-00-00 00:00:00.000 a"})
            QTest::newRow(line) << QByteArray(line) << qint64(0) << QByteArray(line);
    }
    void M13_times()
    {
        QFETCH(QByteArray, line);
        QTEST(qint64(contract::logTime(line.toStdString())), "unixMs");
        QTEST(QByteArray::fromStdString(contract::shownLogLine(line.toStdString())), "shown");
    }

    /// What is known of a minute is forgotten where the zone is another, or none.
    void M13_zonesThatAlternate()
    {
        for (int round = 0; round < 2; ++round) {
            QCOMPARE(contract::logTime("2026-11-21 12:00:01.000+00:00 a"), 1795262401000);
            QCOMPARE(contract::logTime("2026-11-21 12:00:02.000+01:00 a"), 1795258802000);
            QCOMPARE(contract::logTime("2026-11-21 12:00:03.000 a"), 1795258803000);
            QCOMPARE(contract::logTime("2026-02-30 12:00:03.000 a"), 0);
        }
    }

    /// In the hour that comes twice, lines with a zone keep their order.
    void M13_clocksThatArePutBack()
    {
        const std::int64_t summer = contract::logTime("2026-10-25 02:59:59.000+02:00 a"), winter = contract::logTime("2026-10-25 02:00:00.000+01:00 b");
        QCOMPARE(winter - summer, 1000);
        QCOMPARE(contract::localLogTime(summer), std::string("2026-10-25 02:59:59.000"));
        QCOMPARE(contract::localLogTime(winter), std::string("2026-10-25 02:00:00.000"));
    }
};

QTEST_GUILESS_MAIN(LogTimeTest)
#include "tst_log_time.moc"
