// E7: damaged records of other programs are refused in a sentence, or read as far as they are whole.
#include "engine/contract/records/crc32.h"
#include "engine/contract/records/event_file.h"
#include "storage/imports/json_values.h"
#include "tests/storage/imported.h"

#include <QtTest>

#include <cstring>
#include <map>

namespace fs = std::filesystem;
using tests::ImportHome;

namespace {

template <typename Word>
std::string asBytes(Word word)
{
    return {reinterpret_cast<const char*>(&word), sizeof word};
}

std::string eventRecord(const std::string& event)
{
    const std::string length = asBytes<std::uint64_t>(event.size());
    return length + asBytes(contract::maskedCrc(length)) + event + asBytes(contract::maskedCrc(event));
}

std::string field(unsigned number, const std::string& content) { return std::string(1, char(number << 3 | 2)) + char(content.size()) + content; }

/// An event of 14 bytes and more with the values of a summary.
std::string eventOf(char step, const std::string& values)
{
    return eventRecord("\x09" + asBytes(1.7e9 + step) + "\x10" + step + field(5, values));
}

std::string scalar(const std::string& tag, float value) { return field(1, field(1, tag) + "\x15" + asBytes(value)); }

std::string wandbRecord(const std::string& content)
{
    const std::string body = "\x01" + content;
    return asBytes(contract::crc32(body)) + asBytes<std::uint16_t>(std::uint16_t(content.size())) + body;
}

/// A history with one number.
std::string history(char step, const std::string& name, const std::string& json)
{
    const std::string item = field(2, name) + "\x82\x01" + char(json.size()) + json;
    return wandbRecord(field(2, field(1, item) + field(2, std::string("\x08") + step)));
}

/// What is in all files below @p folder.
std::map<std::string, std::string> filesIn(const fs::path& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        files[entry.path().string()] = entry.is_regular_file() ? tests::contentOf(entry.path()) : "";
    return files;
}

}  // namespace

class ImportDamageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_eventFiles_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("values");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const std::string& content, int values, const char* sentence) {
            QTest::newRow(name) << QByteArray::fromStdString(content) << values << QString::fromUtf8(sentence);
        };
        const std::string one = eventOf(1, scalar("a", 1)), two = eventOf(2, scalar("a", 2)), three = eventOf(3, scalar("a", 3));
        row("E7 whole", one + two + three, 3, "");
        row("E7 torn header", one + two + three.substr(0, 7), 2, "ends within a record, as while it is being written; what comes before was read");
        row("E7 torn content", one + two + three.substr(0, three.size() - 1), 2, "ends within a record, as while it is being written; what comes before was read");
        std::string damaged = two;
        damaged[20] = char(damaged[20] ^ 1);
        row("E7 wrong checksum", one + damaged + three, 2, "1 damaged record was left out");
        damaged = two;
        damaged[0] = char(damaged[0] ^ 1);
        row("E7 wrong length", one + damaged + three, 1, "is damaged from byte 39 on; what comes before was read");
        std::string huge = asBytes<std::uint64_t>(~std::uint64_t {0});
        huge += asBytes(contract::maskedCrc(huge)) + "0000000000";
        row("E7 length of 16 EiB", one + huge, 1, "ends within a record, as while it is being written; what comes before was read");
        row("E7 no message", one + eventRecord("\x09 cut") + three, 2, "1 damaged record was left out");
        row("E7 endless varint", one + eventRecord("\x10" + std::string(40, '\xff')) + three, 2, "1 damaged record was left out");
        row("E7 not UTF-8", eventOf(1, scalar("a\xff\n\"", 1)), 1, "");
        row("E7 names of the journal's own", eventOf(1, scalar("step", 7) + scalar("type", 8) + scalar("t_ms", 9)), 3, "");
        row("E7 huge step", one + eventRecord("\x09" + asBytes(1.7e9) + "\x10" + std::string(8, '\xff') + '\x7f' + field(5, scalar("a", 2))), 1,
            "1 step beyond all bounds was left out");
        const std::string vector = field(8, field(2, std::string()) + "\x08\x01" + field(4, asBytes(1.0F) + asBytes(2.0F)));
        row("E7 tensor of two", one + eventOf(2, field(1, field(1, "b") + vector)), 1, "1 tensor was left out");
        const std::string number = "\x08\x02" + field(4, asBytes(0.1));
        row("E7 tensor of a double", one + eventOf(2, field(1, field(1, "b") + field(8, number))), 2, "");
    }
    void E7_eventFiles()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, values);
        QFETCH(QString, sentence);
        ImportHome home;
        fs::create_directories(home.root() / "logs");
        tests::write(home.root() / "logs" / "events.out.tfevents.1.box", content.toStdString());
        home.importAll(home.root() / "logs");
        QCOMPARE(home.failures, std::vector<std::string>());
        QCOMPARE(home.results.at(0).first.newValues, values);
        std::int64_t points = 0;
        for (const storage::SeriesRow& series : home.store.series(home.runCalled("logs")))
            points += series.points;
        QCOMPARE(points, values);
        QVERIFY2(QString::fromStdString(home.leftOut("logs")).contains(sentence) && home.leftOut("logs").empty() == sentence.isEmpty(), home.leftOut("logs").c_str());
    }

    void E7_wandbLogs_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("values");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const std::string& content, int values, const char* sentence) {
            QTest::newRow(name) << QByteArray::fromStdString(content) << values << QString::fromUtf8(sentence);
        };
        const std::string header(":W&B\xe1\xbe\0", 7), one = history(1, "a", "0.5"), two = history(2, "a", "NaN");
        row("E7 whole", header + one + two, 2, "");
        row("E7 torn", header + one + two.substr(0, 12), 1, "ends within a record, as while it is being written; what comes before was read");
        std::string damaged = two;
        damaged[9] = char(damaged[9] ^ 1);
        row("E7 wrong checksum", header + one + damaged + one, 1, "is damaged from byte 31 on; what comes before was read");
        row("E7 deep", header + history(1, "a", std::string(60, '[')) + one, 1, "");
        row("E7 nested values", header + history(1, "a", "{\"b\":{\"c\":1},\"d\":[1,2],\"e\":NaN,\"f\":\"x\",\"g\":true}"), 3, "2 texts were left out");
        row("E7 nothing but a header", header, 0, "");
        row("E7 id that is no UTF-8", header + wandbRecord("\x8a\x01" + std::string(1, 5) + field(1, "a\xff\xfe")) + one, 1, "");
        const std::string medium = "{\"_type\":\"image-file\",\"path\":\"a.png\"}";
        row("E7 a picture named twice", header + history(1, "a", medium) + history(2, "a", medium) + one, 1, "1 picture was left out");
        row("E7 a picture outside", header + history(1, "a", "{\"_type\":\"image-file\",\"path\":\"../a.png\"}") + one, 1, "1 picture was left out");
    }
    void E7_wandbLogs()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, values);
        QFETCH(QString, sentence);
        ImportHome home;
        const fs::path log = home.root() / "run-abc.wandb";
        tests::write(log, content.toStdString());
        for (const fs::path& picture : {home.root() / "files" / "a.png", home.root() / "a.png"}) {
            fs::create_directories(picture.parent_path());
            tests::write(picture, "\x89PNG\r\n\x1a\n");
        }
        home.importAll(log);
        QCOMPARE(home.failures, std::vector<std::string>());
        QCOMPARE(home.results.at(0).first.newValues, values);
        QVERIFY2(QString::fromStdString(home.leftOut("run-abc")).contains(sentence) && home.leftOut("run-abc").empty() == sentence.isEmpty(), home.leftOut("run-abc").c_str());
        home.importAll(log);
        QCOMPARE(home.failures, std::vector<std::string>());
        QCOMPARE(home.results.back().first.what, storage::ImportResult::What::Known);
    }

    /// Each value of an object has its object's name in its own: a megabyte of names would become a terabyte.
    void E7_longNamesAreCut()
    {
        std::string json = "{\"" + std::string(1'000'000, 'n') + "\":{\"0\":0";
        for (int i = 1; i < 100'000; ++i)
            json += ",\"" + std::to_string(i) + "\":1";
        json += "}}";
        std::size_t bytes = 0, values = 0;
        const auto count = [&](const std::string& key, double) { bytes = std::max(bytes, key.size()), ++values; };
        QVERIFY(storage::visitJson(json, "a", {.onNumber = count, .onText = {}, .onMedium = {}}));
        QCOMPARE(values, std::size_t(100'000));
        QVERIFY2(bytes <= 510, std::to_string(bytes).c_str());
    }

    void E7_anImportCanBeCancelled()
    {
        ImportHome home;
        fs::create_directories(home.root() / "logs");
        std::string events;
        for (int i = 0; i < 80'000; ++i)
            events += eventOf(char(i % 100), scalar("a", 1));
        tests::write(home.root() / "logs" / "events.out.tfevents.1.box", events);
        std::vector<std::string> problems;
        const auto runs = storage::findForeignRuns(home.root() / "logs", problems);
        fs::create_directories(home.root() / "staging");
        int asked = 0;
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, storage::importRun(runs.at(0), home.runs(), home.root() / "staging", [&] { return ++asked == 2; }));
        QCOMPARE(asked, 2);
        QVERIFY(fs::is_empty(home.runs()));
        QCOMPARE(storage::importRun(runs[0], home.runs(), home.root() / "staging").newValues, 80'000);
    }

    void E7_whatIsRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("E7 another file") << "a.txt" << QByteArray("x")
                                         << "is neither an event file of TensorBoard, nor the log (.wandb) of a Weights & Biases run, nor a trackio database (.db)";
        QTest::newRow("E7 empty event file") << "events.out.tfevents.1" << QByteArray() << ": holds no event that can be read";
        QTest::newRow("E7 no log") << "a.wandb" << QByteArray("hello, I am a file") << "a.wandb: is not the log of a Weights & Biases run";
        QTest::newRow("E7 no database") << "a.db" << QByteArray("hello") << "a.db: is not a trackio database";
        QTest::newRow("E7 damaged database") << "a.db" << QByteArray("SQLite format 3\0 and so on", 25) << "a.db: cannot be read as a database";
    }
    void E7_whatIsRefused()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QString, sentence);
        ImportHome home;
        const fs::path file = home.root() / "source" / name.toStdString();
        fs::create_directories(file.parent_path());
        tests::write(file, content.toStdString());
        QString said;
        try {
            home.importAll(file);
            said = QString::fromStdString(home.failures.at(0));
        } catch (const std::runtime_error& error) {
            said = QString::fromUtf8(error.what());
        }
        QVERIFY2(said.contains(sentence), qPrintable(said));
        QVERIFY(fs::is_empty(home.runs()));
    }

    void E7_nothingIsChangedAtTheSource()
    {
        ImportHome home;
        fs::copy(tests::foreignRuns(), home.root() / "source", fs::copy_options::recursive);
        const auto before = filesIn(home.root() / "source");
        home.importAll(home.root() / "source");
        QCOMPARE(home.results.size(), std::size_t(6));
        QVERIFY(filesIn(home.root() / "source") == before);
    }
};

QTEST_GUILESS_MAIN(ImportDamageTest)
#include "tst_import_damage.moc"
