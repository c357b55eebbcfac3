// M13: searching a log finds the lines that trying the expression on each line, as it is shown, finds.
#include "engine/contract/run/log_time.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/logs/log_model.h"
#include "ui/logs/log_search.h"
#include "ui/logs/log_sieve.h"
#include "ui/logs/required_text.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <random>

using namespace ui;

namespace {

const char* const kPatterns[] = {"step 9+: loss .*, gradient norm 0.6", "^error", "loss \\d+$", "größe", "gr..e", "(?<=loss )0\\.5", "(?<!loss )0\\.5",
    "loss(?= 0)", "(?i)LOSS", "LOSS", "a|loss", "(a|loss) 0", "(?:los){1,2}s", "lo+s?s", "los{2}", "x{foo|loss}", "lo[r-t]s", "[]l]oss", "[^]l]oss", "[[:alpha:]]oss 0",
    "[[:x]oss", "\\bloss\\b", "\\Qloss 0\\E", "loss\\x20", "\\[warning\\]", "10:15:0\\d", "\\.500 \\[", "^2026-11-21 10:15", "\\+01:00", " \\[info\\]", ".500.\\[info\\] st", "€", "\xF0\x9F\x98\x80?loss", "\\r$", "0$", "\\s$",
    "loss\\h0", "(loss|norm) (?:0|1)\\.(5|25)", "l(?#no|o)oss", "(l)oss \\1?", "", "^$", ".", "^\\w", "loss 0{1,}", "lo{,2}ss", "(?>lo)ss", "loss\\K 0", "[\\]l]oss", "\\B", "\\Bs", "loss[ -9]*$", "loss[\\t-~]", "^$|0$", "\\S$", "(l)(o)+", "x*", "$", "loss\\D", "a*loss+", "(\\w+\\s?)+!", "norm (?=0\\.(?!6))", "\\N{U+6C}oss", "[a\\Q]\\E]"};

std::string randomLine(std::mt19937& random)
{
    static const char* const kWords[] = {"loss ", "Loss ", "LOSS", "0.5", "0.25", "größe ", "GRÖSSE", "gradient norm 0.6", "step 9", ": ", ", ", "[warning]", "[info]",
        " [info] ", "error", "€", "\xF0\x9F\x98\x80", "\xff", "\xc3", "\xe2\x82", "\xef\xbb\xbf", "\t", "\r", std::string_view("\0", 1).data(), "]oss 0", "x{foo|loss}", "looss", "los", "s", "123", " ", "[", "\\1"};
    static const char* const kTimes[] = {"2026-11-21 10:15:00.500 ", "2026-11-21 10:15:00.500+01:00 ", "2026-11-21 23:59:59.500-05:30[info] st", "2026-11-21 ", ""};
    std::string line = kTimes[random() % std::size(kTimes)];
    for (auto words = random() % 7; words > 0; --words)
        line += kWords[random() % std::size(kWords)];
    if (random() % 6 == 0)
        line += '\0';
    return line + (random() % 4 == 0 ? "\r" : "");
}

/// Whether the expression alone finds the line, as it is shown.
bool isFound(const QRegularExpression& pattern, const std::string& line)
{
    const std::string shown = contract::shownLogLine(line);
    return pattern.match(QString::fromUtf8(shown.data(), qsizetype(shown.size()))).hasMatch();
}

}  // namespace

class LogSearchTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

private Q_SLOTS:
    void m13_everyPatternFindsWhatItFindsAlone_data()
    {
        QTest::addColumn<QString>("pattern");
        for (const char* pattern : kPatterns)
            QTest::newRow(*pattern ? pattern : "empty") << QString::fromUtf8(pattern);
    }
    void m13_everyPatternFindsWhatItFindsAlone()
    {
        QFETCH(QString, pattern);
        const LogFilter filter {.text = pattern, .isRegex = true};
        QVERIFY2(filter.problem().isEmpty(), qPrintable(filter.problem()));
        const auto matches = filter.matcher();
        const QRegularExpression alone(pattern);
        std::mt19937 random(1);
        std::vector<std::string> lines(5'000);
        std::unique_ptr<bool[]> together(new bool[lines.size()] {});
        LogSearch search(filter);
        for (std::size_t number = 0; number < lines.size(); ++number) {
            lines[number] = randomLine(random);
            search.add(lines[number], together[number]);
        }
        search.finish();
        std::size_t found = 0;
        for (std::size_t number = 0; number < lines.size(); ++number) {
            const bool isExpected = isFound(alone, lines[number]);
            const QByteArray text = QByteArray::fromStdString(lines[number]).toPercentEncoding(" :[]");
            QVERIFY2(matches(lines[number]) == isExpected, text.constData());
            QVERIFY2(together[number] == isExpected, text.constData());
            found += isExpected ? 1 : 0;
        }
        QVERIFY(found < lines.size() || alone.match(QString()).hasMatch());
    }

    void m13_whatIsSearchedInManyLinesAtOnce_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<bool>("isOfMany");
        for (const char* const pattern : {"loss .*", "^loss [0-9.]+$", "(a|b)\\d", "(?:a)\\b", "\\[x\\]"})
            QTest::newRow(pattern) << QString::fromLatin1(pattern) << true;
        for (const char* const pattern : {"a\\sb", "a[^b]c", "\\D", "\\Aa", "a\\z", "(?<=a)b", "(?s)a.b", "a\\nb", "[[:space:]]", "\\W", "a\\Rb", "[\\s]", "[\\n-z]"})
            QTest::newRow(pattern) << QString::fromLatin1(pattern) << false;
    }
    void m13_whatIsSearchedInManyLinesAtOnce()
    {
        QFETCH(QString, pattern);
        QTEST(staysWithinLines(pattern), "isOfMany");
    }

    void m13_whatEveryMatchHas_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::newRow("the longest part") << "step 9+: loss .*, gradient norm 0.6" << ", gradient norm 0";
        QTest::newRow("alternatives") << "loss|norm" << "";
        QTest::newRow("alternatives in a group") << "(loss|norm) of rank" << " of rank";
        QTest::newRow("the last one may be missing") << "loss?" << "los";
        QTest::newRow("counted") << "loss{0,3}x" << "los";
        QTest::newRow("another case") << "(?i)loss" << "";
        QTest::newRow("escaped") << "\\[warning\\] a" << "[warning] a";
        QTest::newRow("quoted") << "\\Qa|b\\E" << "";
        QTest::newRow("behind") << "(?<=norm )loss" << "loss";
        QTest::newRow("class") << "a[]bc]loss[^x]b" << "loss";
        QTest::newRow("not ASCII") << "größeren" << "eren";
    }
    void m13_whatEveryMatchHas()
    {
        QFETCH(QString, pattern);
        QTEST(QString::fromStdString(requiredText(pattern)), "text");
    }

    /// A log that is read in several blocks and by two threads, with lines that lie across the blocks' borders.
    void m13_searchingALongLogEqualsTryingEachLine_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<int>("level");
        QTest::newRow("a text") << "loss 0\\.5" << int(LogLevel::Unknown);
        QTest::newRow("no text") << "[lL]oss .\\.5" << int(LogLevel::Unknown);
        QTest::newRow("warnings, with what belongs to them") << "loss" << int(LogLevel::Warning);
    }
    void m13_searchingALongLogEqualsTryingEachLine()
    {
        QFETCH(QString, pattern);
        QFETCH(int, level);
        const LogFilter filter {.minimumLevel = LogLevel(level), .text = pattern, .isRegex = true};
        std::mt19937 random(2);
        const QRegularExpression alone(pattern);
        QByteArray bytes;
        QList<qint64> expected;
        LogLevel lineLevel = LogLevel::Unknown;
        while (bytes.size() < (5 << 20)) {
            std::string line = randomLine(random);
            if (random() % 2'000 == 0)
                line.insert(line.size() / 2, 700'000, 'x');
            if (const LogLevel own = logLevel(line); own != LogLevel::Unknown)
                lineLevel = own;
            if (lineLevel >= filter.minimumLevel && isFound(alone, line))
                expected << bytes.size();
            bytes += QByteArray(line.data(), qsizetype(line.size())) + '\n';
        }
        QFile file(m_folder.filePath(QTest::currentDataTag()));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.flush());
        LogFileReader reader(file.fileName().toStdString());
        std::vector<LogFileReader::Line> lines;
        LogSieve sieve(filter, true);
        QList<qint64> found;
        LogLevel current = LogLevel::Unknown;
        while (reader.nextLines(lines)) {
            const auto& verdicts = sieve.judge(lines, [] { return false; });
            QCOMPARE(verdicts.size(), lines.size());
            for (std::size_t at = 0; at < lines.size(); ++at) {
                current = verdicts[at].level != LogLevel::Unknown ? verdicts[at].level : current;
                QCOMPARE(verdicts[at].time, contract::logTime(lines[at].text));
                if (verdicts[at].matches && current >= filter.minimumLevel)
                    found << lines[at].offset;
            }
        }
        QCOMPARE(found, expected);
        LogModel model;
        model.setFilter(filter);
        model.setFiles({file.fileName().toStdString()});
        QTRY_VERIFY_WITH_TIMEOUT(!model.isScanning(), 30'000);
        QCOMPARE(model.count(), expected.size());
    }

    void m13_linesOfSeveralLogsStayInTheirOrder()
    {
        const auto write = [&](const char* name, const QByteArray& text) {
            QFile file(m_folder.filePath(name));
            const bool isWritten = file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
            return isWritten ? file.fileName().toStdString() : std::string();
        };
        const auto at = [](int second, const char* text) { return QStringLiteral("2026-11-21 10:15:%1.000 %2\n").arg(second, 2, 10, QLatin1Char('0')).arg(text).toUtf8(); };
        // The second line of rank 0 says an earlier time than the first, which is not shown.
        const std::vector<std::string> files = {write("rank-0.log", at(10, "hidden") + at(5, "shown a") + at(30, "shown b") + "shown c\n"),
            write("rank-1.log", at(7, "shown d") + at(20, "shown e") + at(30, "shown f"))};
        LogModel model;
        model.setFilter({.text = "shown", .isRegex = true});
        model.setFiles(files);
        QTRY_VERIFY(!model.isScanning());
        QString text;
        model.fetchText(0, model.count(), 1 << 20, [&](const QString& all) { text = all; });
        QTRY_VERIFY(!text.isEmpty());
        QString order;
        for (qsizetype shown = text.indexOf("shown "); shown >= 0; shown = text.indexOf("shown ", shown + 1))
            order += text[shown + 6];
        QCOMPARE(order, QStringLiteral("daebcf"));
    }
};

ATELIER_UI_TEST_MAIN(LogSearchTest)
#include "tst_log_search.moc"
