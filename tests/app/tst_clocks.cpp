// M13: hosts whose clocks differ by minutes, and that lie in several time zones: what `atelier` says of the run does not depend on them.
#include "tests/app/atelier_program.h"
#include "tests/support/skewed_run.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;

class ClocksTest : public QObject {
    Q_OBJECT

    AtelierProgram m_atelier;

    QString m_run = "skewed-20261121-100000-aaaa";

    QStringList arguments(const char* command, const QStringList& more = {}) const { return QStringList {command, m_run} + more; }

private Q_SLOTS:
    void initTestCase()
    {
        tests::writeSkewedRun(m_atelier.home().runs() / "skewed-20261121-100000-aaaa", 20);
        tests::writeSkewedRun(m_atelier.home().runs() / "zones-20261121-100000-aaaa", 20, tests::Zones::Three);
        m_atelier.runWell({"reindex"});
    }

    void M13_logsAreMergedInTheTrueOrder_data()
    {
        QTest::addColumn<QString>("run");
        QTest::newRow("M13 without zones") << "skewed-20261121-100000-aaaa";
        QTest::newRow("M13 with zones") << "zones-20261121-100000-aaaa";
    }
    void M13_logsAreMergedInTheTrueOrder()
    {
        QFETCH(QString, run);
        const auto restored = qScopeGuard([this, former = m_run] { m_run = former; });
        m_run = run;
        const Outcome logs = m_atelier.runWell(arguments("logs"));
        QStringList lines;
        for (const QByteArray& line : tests::linesOf(logs.output))
            lines << QString::fromUtf8(line).section(" line ", 1);
        QCOMPARE(lines.join(' ').trimmed(), tests::trueOrder(20));
        // In the time of whoever reads.
        const QString first = tests::logTimeOf(0, tests::kSkewedStart + 1000, tests::Zones::NotWritten);
        QVERIFY2(logs.output.startsWith((first + " [info] [rank 0] line 1.0\n").toUtf8()), logs.report());
        const Outcome elsewhere = m_atelier.runWell(arguments("logs", {"--search", first}));
        QCOMPARE(tests::linesOf(elsewhere.output).size(), 1);
        QVERIFY2(logs.errors.contains("the clock of rank 1 is 10:00 min ahead of rank 0's"), logs.report());
        QVERIFY2(logs.errors.contains("the clock of rank 2 is 7:00 min behind rank 0's"), logs.report());
        // The last lines are those that were written last.
        QStringList last;
        for (const QJsonValue& line : m_atelier.runWell(arguments("logs", {"-n", "6", "--json"})).json()["lines"].toArray())
            last << line["text"].toString().section(" line ", 1);
        QCOMPARE(last.join(' '), tests::trueOrder(20, 19));
        QVERIFY(m_atelier.runWell(arguments("logs", {"--rank", "1"})).errors.isEmpty());  // nothing to be put in order
    }

    void watchShowsTheLastLines()
    {
        const Outcome page = m_atelier.runWell(arguments("watch", {"--once"}));
        const qsizetype one = page.output.indexOf("line 20.1"), two = page.output.indexOf("line 20.2"), before = page.output.indexOf("line 20.0");
        QVERIFY2(before > 0 && before < one && one < two, page.report());
    }

    void eventsAreInTheTrueOrder()
    {
        QStringList events;
        for (const QJsonValue& each : m_atelier.runWell(arguments("show", {"--json"})).json()["events"].toArray())
            events << each["message"].toString().section(' ', 1);
        QVERIFY(!events.isEmpty());
        QVERIFY2(tests::trueOrder(20).endsWith(events.join(' ')), qPrintable(events.join(' ')));
    }

    /// By their clocks rank 2 would have gone first.
    void theReportNamesTheRankThatWentFirst()
    {
        const QJsonObject report = m_atelier.runWell(arguments("report", {"--json"})).json().object();
        QCOMPARE(report["first_rank"].toInt(), 1);
        for (const QJsonValue& rank : report["ranks"].toArray()) {
            const auto last = static_cast<std::int64_t>(rank["last_record_unix_ms"].toDouble());
            QVERIFY2(std::abs(last - tests::kSkewedStart - 20'500) <= 1500, qPrintable(QString::number(last)));
        }
    }
};

QTEST_GUILESS_MAIN(ClocksTest)
#include "tst_clocks.moc"
