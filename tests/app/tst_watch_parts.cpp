// What `atelier watch` draws and reads, without a terminal.
#include "app/watch/curve_plot.h"
#include "app/watch/dot_canvas.h"
#include "app/watch/key_reader.h"
#include "app/watch/log_tail.h"
#include "app/watch/run_feed.h"
#include "tests/app/atelier_program.h"

#include "engine/contract/run/journal_writer.h"

#include <QFile>
#include <QtTest>

#include <cmath>

using app::DotCanvas;
using app::MetricCurve;

namespace {

QString textOf(const std::vector<app::StyledLine>& lines)
{
    QString text;
    for (const app::StyledLine& line : lines)
        text += QString::fromStdString(line.text(1000, {.hasColor = false, .hasStyles = false, .isUtf8 = true})) + '\n';
    return text;
}

contract::JournalHeader header(const contract::RunFolder& run, int attempt)
{
    return {.version = 1, .run = run.id(), .attempt = attempt, .rank = 0, .host = {}, .startUnixMs = 0};
}

}  // namespace

class WatchPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLineHasTheDotsOfTheObviousOne_data()
    {
        QTest::addColumn<int>("toX");
        QTest::addColumn<int>("toY");
        QTest::newRow("flat") << 15 << 8;
        QTest::newRow("steep down") << 9 << 15;
        QTest::newRow("steep up") << 9 << 0;
        QTest::newRow("to the left") << 0 << 3;
        QTest::newRow("a dot") << 8 << 8;
    }
    void aLineHasTheDotsOfTheObviousOne()
    {
        QFETCH(int, toX);
        QFETCH(int, toY);
        DotCanvas drawn(8, 4), expected(8, 4);
        drawn.line(8, 8, toX, toY);
        const int length = std::max({std::abs(toX - 8), std::abs(toY - 8), 1});
        for (int at = 0; at <= length; ++at)
            expected.set(8 + int(std::lround(double(toX - 8) * at / length)), 8 + int(std::lround(double(toY - 8) * at / length)));
        for (int row = 0; row < 4; ++row)
            for (int column = 0; column < 8; ++column)
                QCOMPARE(drawn.cell(column, row), expected.cell(column, row));
        QVERIFY(!drawn.isEmpty(4, 2));
    }

    void M8_everyValueIsDrawn()
    {
        tests::AtelierProgram atelier;
        const contract::RunFolder run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        constexpr int kSteps = 100'000, kSpike = 61'803;
        {
            contract::JournalWriter journal(run.journal(0), header(run, 1));
            for (int step = 2; step <= kSteps; ++step)
                journal.begin("step", step).add("spiky", step == kSpike ? 5.0 : 1.0).commit();
        }
        app::RunFeed feed(atelier.home(), run);
        const MetricCurve& curve = feed.curve("spiky", 0, {});
        QCOMPARE(curve.steps().size(), std::size_t(kSteps - 1));
        const QStringList lines = textOf(app::plotOf(curve, {}, 60, 10)).split('\n');
        QVERIFY2(lines[0].startsWith("spiky 1"), qPrintable(lines[0]));
        QVERIFY2(lines[1].startsWith("         5┤"), qPrintable(lines[1]));
        // One column of dots reaches the top, where the spike is.
        const QString top = lines[1].mid(11);
        QCOMPARE(top.trimmed().size(), 1);
        QCOMPARE(top.indexOf(top.trimmed()), int(std::lround(double(kSpike) / kSteps * (2 * 49 - 1))) / 2);
        QVERIFY2(lines[9].contains("99,999 values"), qPrintable(lines[9]));
        for (const int columns : {20, 21, 38, 60, 100}) {
            for (const app::StyledLine& line : app::plotOf(feed.curve("spiky", 0, {ui::Smoothing::Kind::Exponential, 5}), {.isRankShown = true}, columns, 10))
                QVERIFY2(line.cells() <= columns, line.text(1000, {.hasStyles = false}).c_str());
        }
        // Live: what is appended is added, not read again.
        {
            contract::JournalWriter journal(run.journal(0), header(run, 1));
            journal.begin("step", kSteps + 1).add("spiky", 9.0).commit();
        }
        feed.update();
        QCOMPARE(feed.curve("spiky", 0, {}).values().back(), 9.0);
        QCOMPARE(feed.curve("spiky", 0, {}).steps().size(), std::size_t(kSteps));
    }

    void N1_supersededValuesAreLeftOutAndCounted()
    {
        tests::AtelierProgram atelier;
        const contract::RunFolder run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const auto write = [&](int attempt, int first, int last, double value) {
            contract::JournalWriter journal(run.journal(0), header(run, attempt));
            for (int step = first; step <= last; ++step)
                journal.begin("step", step).add("x", value).commit();
        };
        write(1, 2, 40, 1);
        app::RunFeed feed(atelier.home(), run);
        QCOMPARE(feed.curve("x", 0, {}).steps().size(), std::size_t(39));
        std::filesystem::create_directories(run.attempt(2));
        std::filesystem::copy_file(run.config(1), run.config(2));
        run.writeStart({.attempt = 2, .startUnixMs = 1795255300000, .ranks = 2, .host = "box", .versions = {},
            .parentCheckpoint = "checkpoints/step-30", .parentStep = 30, .controlOffset = 0});
        write(2, 31, 50, 2);
        feed.update();
        const MetricCurve& curve = feed.curve("x", 0, {});
        std::vector<std::int64_t> steps;
        for (std::int64_t step = 2; step <= 50; ++step)
            steps.push_back(step);
        QCOMPARE(curve.steps(), steps);
        QCOMPARE(curve.values()[28], 1.0);
        QCOMPARE(curve.values()[29], 2.0);
        QVERIFY(textOf(app::plotOf(curve, {}, 60, 8)).contains("49 values, 10 superseded"));
    }

    void M9_smoothingIsTheWindows()
    {
        tests::AtelierProgram atelier;
        const contract::RunFolder run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 60);
        app::RunFeed feed(atelier.home(), run);
        const ui::Smoothing smoothing {ui::Smoothing::Kind::Exponential, 20};
        const MetricCurve& curve = feed.curve("time/step_ms", 1, smoothing);
        QCOMPARE(curve.rank(), 1);
        ui::Smoother expected(smoothing);
        expected.extend(curve.steps(), curve.values());
        QCOMPARE(curve.smoothed(), expected.values());
        QCOMPARE(curve.smoothed().size(), std::size_t(60));
        QVERIFY(feed.curve("time/step_ms", 1, {}).smoothed().empty());
    }

    void keysMayArriveInParts()
    {
        app::KeyReader reader;
        const auto keys = [&](std::string_view bytes) {
            const std::vector<char> found = reader.keysIn(bytes);
            return QByteArray(found.data(), qsizetype(found.size()));
        };
        QCOMPARE(keys("\033"), QByteArray());
        QCOMPARE(keys("["), QByteArray());
        QCOMPARE(keys("Cq"), QByteArray("\x02q"));
        QCOMPARE(keys("\033[1;5D"), QByteArray("\x01"));
        QCOMPARE(keys("\033[15~\033x\033\033[Z\tl"), QByteArray("\x03\tl"));
        QCOMPARE(keys("\033[" + std::string(100, '1') + "q"), QByteArray(QByteArray(69, '1') + "q"));
    }

    void logsOfAllRanksAreMergedByTime()
    {
        tests::AtelierProgram atelier;
        const contract::RunFolder run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        std::filesystem::create_directories(run.logs());
        const auto write = [&](int rank, const QByteArray& text) {
            QFile file(QString::fromStdString(run.log(rank).string()));
            QVERIFY(file.open(QIODevice::Append) && file.write(text) == text.size());
        };
        write(0, QByteArray(40'000, 'x') + "\n2026-11-21 10:15:01.000 [info] first\nno time of its own\n");
        write(1, "2026-11-21 10:15:02.000 [warning] second\n");
        write(0, "2026-11-21 10:15:03.000 [info] third");
        app::LogTail tail(run);
        tail.update();
        QStringList lines;
        for (const app::LogEntry& entry : tail.last(3))
            lines << QString::fromStdString(entry.text).section("] ", -1);
        QCOMPARE(lines, QStringList({"no time of its own", "second", "third"}));
        QCOMPARE(tail.last(3)[1].level, ui::LogLevel::Warning);
        write(0, " grows\n2026-11-21 10:15:04.000 [info] fourth\n");
        tail.update();
        QCOMPARE(tail.last(2)[0].text, std::string("2026-11-21 10:15:03.000 [info] third grows"));
        QCOMPARE(tail.last(100).size(), std::size_t(5));
    }
};

QTEST_APPLESS_MAIN(WatchPartsTest)
#include "tst_watch_parts.moc"
