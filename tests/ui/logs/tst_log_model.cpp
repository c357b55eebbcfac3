// M13: logs by rank or merged by time, filtered and followed, with any size and with bytes that are not UTF-8.
#include "tests/ui/support/ui_test_main.h"
#include "ui/logs/log_file_reader.h"
#include "ui/logs/log_model.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <sys/resource.h>

using ui::LogLevel;
using ui::LogModel;

class LogModelTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    std::string path(const char* name) const { return m_folder->filePath(QLatin1String(name)).toStdString(); }

    std::string append(const char* name, const QByteArray& bytes) const
    {
        QFile file(QString::fromStdString(path(name)));
        if (!file.open(QIODevice::Append) || file.write(bytes) != bytes.size())
            qFatal("%s cannot be written", name);
        return path(name);
    }

    static QStringList lines(LogModel& model)
    {
        QStringList all;
        for (qsizetype row = 0; row < model.count(); ++row) {
            if (!QTest::qWaitFor([&] { return model.line(row) != nullptr; }, 20'000))
                return {QStringLiteral("line %1 never came").arg(row)};
            all << model.line(row)->text;
        }
        return all;
    }

    static QByteArray line(int second, const char* level, const QByteArray& text)
    {
        return "2026-11-21 10:15:" + QByteArray::number(second).rightJustified(2, '0') + ".000 [" + level + "] " + text + '\n';
    }

    /// The most memory that this process has had resident since its peak was last reset.
    static qint64 peakBytes()
    {
        QFile status(QStringLiteral("/proc/self/status"));
        if (!status.open(QIODevice::ReadOnly))
            qFatal("the process's status cannot be read");
        for (const QByteArray& line : status.readAll().split('\n')) {
            if (line.startsWith("VmHWM:"))
                return line.mid(6).trimmed().split(' ').front().toLongLong() * 1024;
        }
        return 0;
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void M14_readingIsCancelledAndBegunAgain()
    {
        constexpr int kLines = 400'000;
        QByteArray text;
        for (int line = 0; line < kLines; ++line)
            text += "2026-01-01 10:00:00.000+00:00 [info] [rank 0] [step 0] line " + QByteArray::number(line) + "\n";
        LogModel model;
        model.setFiles({append("long.log", text)});
        QVERIFY(model.isScanning());
        model.cancel();
        QVERIFY(!model.isScanning() && model.isCancelled());
        const qsizetype before = model.count();
        QVERIFY(before < kLines);
        model.restart();
        QVERIFY(model.isScanning() && !model.isCancelled());
        QTRY_VERIFY(!model.isScanning());
        QCOMPARE(model.count(), qsizetype(kLines));
        model.cancel();
        QVERIFY(!model.isCancelled());
    }

    /// A line that passes is shown before the files have been read to their end, and stays when reading is cancelled.
    void M14_whatACancelledSearchHasFoundStays_data()
    {
        QTest::addColumn<bool>("isInTail");  // of the second file
        QTest::newRow("M14 found as it is read") << false;
        QTest::newRow("M14 found as it is read, and in the last lines") << true;
    }
    void M14_whatACancelledSearchHasFoundStays()
    {
        QFETCH(bool, isInTail);
        const QByteArray others = line(5, "info", QByteArray(200, '.')).repeated(10'000);
        const std::string zero = append("rank-0.log", line(1, "info", "needle"));
        const std::string one = append("rank-1.log", line(2, "info", "other"));
        for (int part = 0; part < 20; ++part) {
            append("rank-0.log", others);
            append("rank-1.log", others);
            if (part == 15)
                append("rank-0.log", line(5, "info", "not reached: needle"));
        }
        append("rank-1.log", line(6, "info", isInTail ? "last needle" : "last"));
        LogModel model;
        connect(&model, &LogModel::appended, &model, &LogModel::cancel);  // does nothing once all is read
        model.setFilter({.text = "needle"});
        model.setFiles({zero, one});
        QTRY_VERIFY(!model.isScanning());
        QVERIFY(model.isCancelled());
        QStringList texts = lines(model);
        QCOMPARE(texts.size(), isInTail ? 2 : 1);
        QVERIFY(texts.first().endsWith("[info] needle"));
        QVERIFY(!isInTail || texts.last().endsWith("last needle"));
    }

    /// The last lines, which stay when reading is cancelled, are shown once, also when the lines found reach into them.
    void M14_whatIsScannedOfTheLastLinesIsShownOnce()
    {
        QByteArray text;
        constexpr int kLines = 50'500;  // the first 50,000 are found at once
        for (int number = 0; number < kLines; ++number)
            text += line(5, "info", QByteArray::number(number) + QByteArray(200, '.'));
        LogModel model;
        connect(&model, &LogModel::appended, &model, &LogModel::cancel);
        model.setFiles({append("rank-0.log", text)});
        QTRY_VERIFY(!model.isScanning());
        QVERIFY(model.isCancelled());
        QCOMPARE(model.count(), qsizetype(kLines));
    }

    void m13_ranksAreMergedByTime()
    {
        const auto zero = append("rank-0.log", line(1, "info", "a") + line(3, "info", "c") + "   continued\n");
        const auto one = append("rank-1.log", line(2, "info", "b") + line(4, "info", "d"));
        LogModel model;
        model.setFiles({zero, one});
        QTRY_COMPARE(model.count(), 5);
        const QStringList all = lines(model);
        QVERIFY(all[0].endsWith("a") && all[1].endsWith("b") && all[2].endsWith("c"));
        QCOMPARE(all[3], QStringLiteral("   continued"));
        QCOMPARE(model.fileOf(1), 1);
    }

    void m13_appendedLinesAreFollowed()
    {
        const auto file = append("rank-0.log", line(1, "info", "first"));
        LogModel model;
        model.setFiles({file});
        QTRY_COMPARE(model.count(), 1);
        append("rank-0.log", line(2, "info", "second") + "torn");
        QTRY_COMPARE(model.count(), 3);
        QCOMPARE(lines(model).last(), QStringLiteral("torn"));
        append("rank-0.log", " no more\n" + line(3, "info", "third"));
        QTRY_COMPARE(model.count(), 4);
        QTRY_COMPARE(lines(model)[2], QStringLiteral("torn no more"));
    }

    void m13_aLogThatComesLaterIsRead()
    {
        LogModel model;
        model.setFiles({path("rank-0.log")});
        QTRY_VERIFY(!model.isScanning());
        append("rank-0.log", line(1, "info", "here"));
        QTRY_COMPARE(model.count(), 1);
    }

    /// An expression that backtracks costs a bounded time for a line, and neither a new filter nor the window's end waits long.
    void defect31_anExpressionThatBacktracksHoldsNothingUp()
    {
        QByteArray lines;
        for (int number = 0; number < 20'000; ++number)
            lines += QByteArray(60, 'a') + "!\n";
        const auto file = append("rank-0.log", lines + "aaa\n");
        QElapsedTimer clock;
        clock.start();
        {
            LogModel model;
            model.setFiles({file});
            model.setFilter({.text = "^(a+)+$", .isRegex = true});
            QTRY_VERIFY(model.isScanning());
        }
        QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        const ui::LogFilter filter {.text = "^(a+)+$", .isRegex = true};
        QVERIFY(filter.problem().isEmpty());
        QVERIFY(filter.matcher()("aaaa"));
        clock.start();
        const auto matches = filter.matcher();
        const std::string line = std::string(60, 'a').append(1, '!');
        for (int number = 0; number < 100; ++number)  // more than the window shows, and so matches at each painting
            QVERIFY(!matches(line));
        QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
        const ui::LogFilter wrong {.text = "a(b", .isRegex = true};
        QVERIFY2(wrong.problem().endsWith("at character 4."), qPrintable(wrong.problem()));
    }

    void m13_aReplacedLogIsReadAnew()
    {
        const auto file = append("rank-0.log", line(1, "info", "old") + line(2, "info", "older"));
        LogModel model;
        model.setFiles({file});
        QTRY_COMPARE(model.count(), 2);
        QFile::resize(QString::fromStdString(file), 0);
        append("rank-0.log", line(3, "info", "new"));
        QTRY_COMPARE(model.count(), 1);
        QTRY_VERIFY(lines(model).first().endsWith("new"));
    }

    void m13_levelsAndSearchesFilter_data()
    {
        QTest::addColumn<int>("level");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isRegex");
        QTest::addColumn<int>("count");
        QTest::newRow("all") << int(LogLevel::Unknown) << "" << false << 5;
        QTest::newRow("warnings, with what belongs to them") << int(LogLevel::Warning) << "" << false << 3;
        QTest::newRow("errors") << int(LogLevel::Error) << "" << false << 1;
        QTest::newRow("plain, any case") << int(LogLevel::Unknown) << "LOSS" << false << 2;
        QTest::newRow("plain is not a pattern") << int(LogLevel::Unknown) << "l.ss" << false << 0;
        QTest::newRow("not ASCII") << int(LogLevel::Unknown) << "Größe" << false << 1;
        QTest::newRow("regex") << int(LogLevel::Unknown) << "loss \\d+$" << true << 1;
    }
    void m13_levelsAndSearchesFilter()
    {
        const auto file = append("rank-0.log", line(1, "info", "loss 12") + line(2, "warning", "Loss is large")
                + "  in block 3\n" + line(3, "error", "größe") + line(4, "info", "end"));
        QFETCH(int, level);
        QFETCH(QString, text);
        QFETCH(bool, isRegex);
        LogModel model;
        model.setFiles({file});
        model.setFilter({.minimumLevel = LogLevel(level), .text = text, .isRegex = isRegex});
        QTRY_VERIFY(!model.isScanning());
        QTEST(int(model.count()), "count");
    }

    void m13_aWrongPatternSaysWhere()
    {
        const ui::LogFilter filter {.text = QStringLiteral("loss ("), .isRegex = true};
        QVERIFY(!filter.problem().isEmpty());
        QVERIFY((ui::LogFilter {.text = QStringLiteral("loss ("), .isRegex = false}.problem().isEmpty()));
    }

    void m13_strayBytesAreShownAndDoNoHarm()
    {
        QByteArray bytes("before\n");
        bytes += QByteArray("\x00\x01\xff\xfe\x80 tail", 10) + '\n';
        bytes += QByteArray(3 << 20, '\x07') + '\n';
        bytes += "after\n";
        LogModel model;
        model.setFiles({append("rank-0.log", bytes)});
        QTRY_VERIFY(!model.isScanning());
        const QStringList all = lines(model);
        QCOMPARE(all.first(), QStringLiteral("before"));
        QCOMPARE(all.last(), QStringLiteral("after"));
        QVERIFY(all[1].contains(QChar(0xfffd)) && all[1].endsWith("tail"));
        for (const QString& text : all)
            QVERIFY(text.size() <= 4096);
    }

    void m13_copiedTextIsTheFilesText()
    {
        const auto file = append("rank-0.log", "one\ntwo\nthree\n");
        LogModel model;
        model.setFiles({file});
        QTRY_COMPARE(model.count(), 3);
        QString copied;
        model.fetchText(1, 2, 1 << 20, [&](const QString& text) { copied = text; });
        QTRY_COMPARE(copied, QStringLiteral("two\nthree\n"));
    }

    void copyingNeedsTheMemoryOfTheText_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("most");
        QTest::addColumn<int>("copied");
        QTest::newRow("defect-14: 5,000 short lines") << 5'000 << 60 << (64 << 20) << 5'000;
        QTest::newRow("defect-14: long lines up to the limit") << 300 << 60'000 << (1 << 20) << 17;
    }
    void copyingNeedsTheMemoryOfTheText()
    {
        QFETCH(int, lines);
        QFETCH(int, length);
        QFETCH(int, most);
        QFETCH(int, copied);
        const auto file = append("rank-0.log", (QByteArray(length, 'x') + '\n').repeated(lines));
        LogModel model;
        model.setFiles({file});
        QTRY_COMPARE(model.count(), lines);
        QFile forget(QStringLiteral("/proc/self/clear_refs"));
        QVERIFY(forget.open(QIODevice::WriteOnly) && forget.write("5") == 1);  // the peak restarts from what is resident
        forget.close();
        const qint64 before = peakBytes();
        QString text;
        model.fetchText(0, lines, most, [&](const QString& all) { text = all; });
        QTRY_VERIFY(!text.isEmpty());
        qInfo("peak %lld MB higher", (peakBytes() - before) >> 20);
        QVERIFY(peakBytes() - before < (16 << 20));
        QCOMPARE(text.count('\n'), copied);
        QCOMPARE(text.contains(QStringLiteral("%1 lines more").arg(lines - copied)), lines != copied);
    }

    /// Compares lines of every length around the reader's block size with a plain split.
    void readerEqualsAPlainSplit()
    {
        QByteArray bytes;
        for (int size : {0, 1, (1 << 19) - 1, 1 << 19, (1 << 20) - 1, 5, 0, 0, 700'000, 3})
            bytes += QByteArray(size, char('a' + size % 26)) + '\n';
        ui::LogFileReader reader(append("rank-0.log", bytes));
        const QList<QByteArray> expected = bytes.left(bytes.size() - 1).split('\n');
        std::int64_t offset = 0;
        for (const QByteArray& text : expected) {
            const auto line = reader.next();
            QVERIFY(line);
            QCOMPARE(line->offset, offset);
            QCOMPARE(QByteArray(line->text.data(), qsizetype(line->text.size())), text);
            offset += text.size() + 1;
        }
        QVERIFY(!reader.next());
    }
};

ATELIER_UI_TEST_MAIN(LogModelTest)
#include "tst_log_model.moc"
