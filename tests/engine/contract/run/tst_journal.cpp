#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/journal_writer.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch_file.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <system_error>

using contract::JournalLine;
using contract::JournalParser;
using contract::JournalWriter;

namespace {

std::uint64_t bitsOf(double value)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

std::vector<std::string> linesOf(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// JSON written with ' for ", because moc of Qt 6.4 cannot parse raw strings reliably.
QByteArray json(const char* text) { return QByteArray(text).replace('\'', '"'); }

}  // namespace

class JournalTest : public QObject {
    Q_OBJECT

    tests::ScratchFile m_file;
    static contract::JournalHeader header(int attempt = 1)
    {
        return {.version = 1, .run = "digits-x", .attempt = attempt, .rank = 1, .host = {}, .startUnixMs = 0};
    }

private Q_SLOTS:
    void headerReadsBack()
    {
        const JournalWriter writer(m_file.path(), header(3));
        JournalParser parser;
        const JournalLine& line = parser.parse(linesOf(m_file.path()).at(0));
        QCOMPARE(line.kind, JournalLine::Kind::Header);
        QCOMPARE(line.header.run, "digits-x");
        QCOMPARE(line.header.attempt, 3);
        QCOMPARE(line.header.rank, 1);
        QCOMPARE(line.header.host, writer.header().host);
        QVERIFY(!line.header.host.empty());
        QCOMPARE(line.header.startUnixMs, writer.header().startUnixMs);
    }

    void numbersComeBackBitForBit_data()
    {
        using Limits = std::numeric_limits<double>;
        QTest::addColumn<double>("value");
        QTest::newRow("m08 third") << 1.0 / 3;
        QTest::newRow("m08 zero") << 0.0;
        QTest::newRow("m08 negative zero") << -0.0;
        QTest::newRow("m08 denormal") << Limits::denorm_min();
        QTest::newRow("m08 negative denormal") << -Limits::denorm_min();
        QTest::newRow("m08 largest") << Limits::max();
        QTest::newRow("m08 lowest") << Limits::lowest();
        QTest::newRow("m08 whole") << 3.0;
        QTest::newRow("m08 large whole") << 12345678901234567000.0;
        QTest::newRow("m08 larger whole") << 123456789012345678900.0;
        QTest::newRow("m08 negative whole") << -9223372036854775808.0;
        QTest::newRow("m08 infinity") << Limits::infinity();
        QTest::newRow("m08 negative infinity") << -Limits::infinity();
    }
    void numbersComeBackBitForBit()
    {
        QFETCH(double, value);
        const auto path = m_file.path().replace_extension(QTest::currentDataTag());
        JournalWriter writer(path, header());
        writer.begin("step", 12).add("loss", value).commit();
        JournalParser parser;
        const JournalLine& line = parser.parse(linesOf(path).at(1));
        QCOMPARE(line.kind, JournalLine::Kind::Record);
        QCOMPARE(line.type, "step");
        QCOMPARE(line.step, std::int64_t(12));
        QVERIFY(line.field("loss"));
        QVERIFY(line.field("loss")->isNumber);
        QCOMPARE(bitsOf(line.field("loss")->number), bitsOf(value));
    }

    void notANumberIsANumber()
    {
        JournalWriter writer(m_file.path(), header());
        writer.begin("step", 1).add("grad_norm", std::nan("")).commit();
        JournalParser parser;
        const JournalLine& line = parser.parse(linesOf(m_file.path()).at(1));
        QVERIFY(line.field("grad_norm")->isNumber);
        QVERIFY(std::isnan(line.number("grad_norm", 0)));
    }

    void randomNumbersComeBack()
    {
        std::mt19937_64 random(5);
        std::vector<double> values;
        JournalWriter writer(m_file.path(), header());
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t bits = random();
            double value = 0;
            std::memcpy(&value, &bits, sizeof value);
            values.push_back(value);
            writer.begin("step", i).add("x", value).commit();
        }
        const auto lines = linesOf(m_file.path());
        JournalParser parser;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double read = parser.parse(lines.at(i + 1)).number("x", 0);
            QVERIFY(bitsOf(read) == bitsOf(values[i]) || (std::isnan(read) && std::isnan(values[i])));
        }
    }

    void textsComeBack()
    {
        const std::string text = "a \"quoted\" \\ line\nwith ü, 数 and \x01";
        JournalWriter writer(m_file.path(), header());
        writer.begin("event", -1).add("message", text).add("rank", std::int64_t {-1}).commit();
        JournalParser parser;
        const JournalLine& line = parser.parse(linesOf(m_file.path()).at(1));
        QCOMPARE(std::string(line.text("message")), text);
        QCOMPARE(line.number("rank", 0), -1.0);
        QCOMPARE(line.step, std::int64_t(-1));
        QCOMPARE(linesOf(m_file.path()).size(), std::size_t(2));
    }

    void aTextThatIsTooLongIsCutAndItsRecordKept_defect_33()
    {
        const std::string longest(contract::kLongestText, '\x01');  // six characters each, as JSON writes it
        {
            JournalWriter writer(m_file.path(), header());
            writer.begin("sample", 7).add("file", std::string_view("a.png")).add("prompt", longest + "more").add("weights", longest).commit();
        }
        JournalParser parser;
        const auto lines = linesOf(m_file.path());
        const JournalLine& line = parser.parse(lines.at(1));
        QCOMPARE(line.kind, JournalLine::Kind::Record);
        QCOMPARE(line.text("file"), std::string_view("a.png"));
        QCOMPARE(line.text("prompt"), longest + "…");
        QCOMPARE(line.text("weights"), longest);
    }

    void timeNeverDecreases()
    {
        JournalWriter writer(m_file.path(), header());
        for (int i = 0; i < 1000; ++i)
            writer.begin("step", i).commit();
        JournalParser parser;
        double last = 0;
        for (const std::string& line : linesOf(m_file.path())) {
            const JournalLine& read = parser.parse(line);
            QVERIFY(read.tMs >= last);
            last = read.tMs;
        }
    }

    void tornLineIsEndedByTheNextWriter()
    {
        JournalWriter(m_file.path(), header(1)).begin("step", 1).commit();
        m_file.append("{\"type\":\"step\",\"step\":2,\"lo");
        JournalWriter(m_file.path(), header(2)).begin("step", 2).commit();
        JournalParser parser;
        QList<int> kinds;
        for (const std::string& line : linesOf(m_file.path()))
            kinds << static_cast<int>(parser.parse(line).kind);
        const auto kind = [](JournalLine::Kind each) { return static_cast<int>(each); };
        QCOMPARE(kinds, QList<int>({kind(JournalLine::Kind::Header), kind(JournalLine::Kind::Record),
                            kind(JournalLine::Kind::Malformed), kind(JournalLine::Kind::Header),
                            kind(JournalLine::Kind::Record)}));
    }

    void fullDiskIsSaidAndTheJournalGoesOnAfterwards()
    {
        JournalWriter writer(m_file.path(), header());
        writer.begin("step", 1).add("loss", 0.5).commit();
        const auto full = static_cast<rlim_t>(std::filesystem::file_size(m_file.path())) + 10;
        {
            const tests::FileSizeLimit limit(full);
            QVERIFY_EXCEPTION_THROWN(writer.begin("step", 2).add("loss", 0.25).commit(), std::system_error);
        }
        writer.begin("step", 3).add("loss", 0.125).commit();
        const auto lines = linesOf(m_file.path());
        QCOMPARE(lines.size(), std::size_t(4));
        JournalParser parser;
        QCOMPARE(parser.parse(lines[2]).kind, JournalLine::Kind::Malformed);
        QCOMPARE(parser.parse(lines[3]).number("loss", 0), 0.125);
    }

    void fileThatCannotBeOpenedIsNamed()
    {
        try {
            const JournalWriter writer("/nowhere/rank-0.jsonl", header());
            QFAIL("opened a journal in a folder that is not there");
        } catch (const std::system_error& error) {
            QVERIFY(std::string(error.what()).find("/nowhere/rank-0.jsonl") != std::string::npos);
        }
    }

    void hostileLinesAreMalformed_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("null byte") << QByteArray("\0", 1);
        QTest::newRow("stray bytes") << QByteArray("\xff\xfe{}");
        QTest::newRow("number") << QByteArray("17");
        QTest::newRow("list") << QByteArray("[1,2]");
        QTest::newRow("empty object") << QByteArray("{}");
        QTest::newRow("torn") << json("{'type':'step','step':1");
        QTest::newRow("two objects") << json("{'type':'step','step':1}{'a':1}");
        QTest::newRow("nested object") << json("{'type':'step','step':1,'a':{}}");
        QTest::newRow("nested list") << json("{'type':'step','step':1,'a':[1]}");
        QTest::newRow("deep") << "{\"a\":" + QByteArray(100000, '[');
        QTest::newRow("comma at the end") << json("{'type':'step','step':1,}");
        QTest::newRow("no comma") << json("{'type':'step' 'step':1}");
        QTest::newRow("no colon") << json("{'type' 'step','step':1}");
        QTest::newRow("no quote") << json("{type:'step','step':1}");
        QTest::newRow("no word") << json("{'type':'step','step':1,'a':tru}");
        QTest::newRow("no null") << json("{'type':'step','step':1,'a':nul}");
        QTest::newRow("no number") << json("{'type':'step','step':1,'a':1.e5}");
        QTest::newRow("leading zero") << json("{'type':'step','step':1,'a':01}");
        QTest::newRow("no escape") << json("{'type':'step','step':1,'a':'\\q'}");
        QTest::newRow("half a surrogate") << json("{'type':'step','step':1,'a':'\\ud800'}");
        QTest::newRow("no UTF-8") << json("{'type':'step','step':1,'a':'") + "\xff" + json("'}");
        QTest::newRow("half a step") << json("{'type':'step','step':1.5}");
        QTest::newRow("huge step") << json("{'type':'step','step':1e300}");
        QTest::newRow("overflow") << json("{'type':'step','step':1,'a':1e999}");
        QTest::newRow("newer version") << json("{'v':2,'run':'a','attempt':1,'rank':0,'host':'h','t_unix_ms':1}");
        QTest::newRow("no run") << json("{'v':1,'run':'','attempt':1,'rank':0,'host':'h','t_unix_ms':1}");
        QTest::newRow("attempt 0") << json("{'v':1,'run':'a','attempt':0,'rank':0,'host':'h','t_unix_ms':1}");
        QTest::newRow("rank -3") << json("{'v':1,'run':'a','attempt':1,'rank':-3,'host':'h','t_unix_ms':1}");
        QTest::newRow("too long") << json("{'type':'event','step':1,'message':'") + QByteArray(1 << 20, 'x') + "\"}";
    }
    void hostileLinesAreMalformed()
    {
        QFETCH(QByteArray, line);
        JournalParser parser;
        const JournalLine& read = parser.parse({line.constData(), static_cast<std::size_t>(line.size())});
        QCOMPARE(read.kind, JournalLine::Kind::Malformed);
    }

    void aLineDoesNotShineThroughTheNext()
    {
        JournalParser parser;
        parser.parse(json("{'type':'step','step':7,'t_ms':3,'loss':1,'note':'x'}").toStdString());
        const JournalLine& line = parser.parse(json("{'type':'metrics','step':8,'a':2}").toStdString());
        QCOMPARE(line.fields().size(), std::size_t(1));
        QVERIFY(!line.field("loss"));
        QVERIFY(line.text("note").empty());
        QCOMPARE(line.tMs, 0.0);
        QCOMPARE(parser.parse("}").fields().size(), std::size_t(0));
    }

    void unknownTypesAreRecordsThatReadersIgnore()
    {
        JournalParser parser;
        const JournalLine& line = parser.parse(json("{'type':'of tomorrow','step':1,'t_ms':2,'is':true}").toStdString());
        QCOMPARE(line.kind, JournalLine::Kind::Record);
        QCOMPARE(std::string(line.text("is")), "true");
    }

    void damagedLinesNeverCrash()
    {
        const std::string good
            = json("{'type':'step','step':12,'t_ms':842.5,'loss':0.31,'grad_norm':'NaN','note':'aü\\u0041'}").toStdString();
        std::mt19937 random(11);
        JournalParser parser;
        for (int i = 0; i < 100000; ++i) {
            std::string bad = good;
            for (int change = 0; change < 2; ++change)
                bad[random() % bad.size()] = static_cast<char>(random());
            const JournalLine& line = parser.parse(std::string_view(bad).substr(0, random() % (bad.size() + 1)));
            QVERIFY(line.fields().size() <= 16);
        }
    }
};

QTEST_APPLESS_MAIN(JournalTest)
#include "tst_journal.moc"
