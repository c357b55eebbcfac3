// E7: event files for TensorBoard, read by an independent reader of records and protocol buffers. That TensorBoard itself reads
// them is tests/peers/tst_tensorboard.cpp.
#include "engine/contract/records/event_file.h"
#include "storage/exports/tensorboard_export.h"
#include "storage/ingest.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

namespace fs = std::filesystem;

namespace {

struct Scalar {
    std::int64_t step = 0;
    double unixSeconds = 0;
    float value = 0;
};

template <typename Value>
Value at(const std::string& bytes, std::size_t place)
{
    Value value {};
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
}

/// The fields of a message: varints and fixed numbers as their bytes.
std::multimap<unsigned, std::string> fieldsOf(const std::string& message)
{
    std::multimap<unsigned, std::string> fields;
    std::size_t place = 0;
    const auto varint = [&] {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(message.at(place++));
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80)
                return value;
        }
    };
    while (place < message.size()) {
        const std::uint64_t key = varint();
        const auto field = static_cast<unsigned>(key >> 3);
        std::size_t length = key % 8 == 1 ? 8 : 4;
        if (key % 8 == 0) {
            const std::uint64_t value = varint();
            fields.emplace(field, std::string(reinterpret_cast<const char*>(&value), 8));
            continue;
        }
        if (key % 8 == 2)
            length = varint();
        fields.emplace(field, message.substr(place, length));
        place += length;
    }
    return fields;
}

std::uint32_t unmasked(std::uint32_t masked)
{
    const std::uint32_t rotated = masked - 0xa282ead8U;
    return rotated >> 17 | rotated << 15;
}

/// What the only event file in @p folder holds, by tag. Empty when a checksum is wrong.
struct Log {
    std::map<std::string, std::vector<Scalar>> scalars;
    std::map<std::string, std::string> others;  ///< of values that are no scalars: their serialised message
    std::string version;
};
Log logOf(const fs::path& folder)
{
    Log log;
    std::string bytes;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!entry.is_regular_file() || entry.path().filename().string().find("tfevents") == std::string::npos)
            continue;
        std::ifstream file(entry.path(), std::ios::binary);
        bytes.append(std::istreambuf_iterator<char>(file), {});
    }
    for (std::size_t place = 0; place < bytes.size();) {
        const auto length = at<std::uint64_t>(bytes, place);
        const std::string event = bytes.substr(place + 12, length);
        if (unmasked(at<std::uint32_t>(bytes, place + 8)) != contract::crc32c(bytes.substr(place, 8))
            || unmasked(at<std::uint32_t>(bytes, place + 12 + length)) != contract::crc32c(event))
            return {};
        place += 16 + length;
        const auto fields = fieldsOf(event);
        if (fields.contains(3))
            log.version = fields.find(3)->second;
        if (!fields.contains(5))
            continue;
        const std::string message = fieldsOf(fields.find(5)->second).find(1)->second;
        const auto value = fieldsOf(message);
        const std::string tag = value.find(1)->second;
        if (value.contains(2))
            log.scalars[tag].push_back({at<std::int64_t>(fields.find(2)->second, 0), at<double>(fields.find(1)->second, 0), at<float>(value.find(2)->second, 0)});
        else
            log.others[tag] = message;
    }
    return log;
}

}  // namespace

class TensorBoardExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// RFC 3720, appendix B.4.
    void E7_checksumsAreCastagnolis()
    {
        QCOMPARE(contract::crc32c(std::string(32, '\0')), 0x8a9136aaU);
        QCOMPARE(contract::crc32c(std::string(32, '\xff')), 0x62a8ab43U);
        std::string ascending;
        for (char byte = 0; byte < 32; ++byte)
            ascending += byte;
        QCOMPARE(contract::crc32c(ascending), 0x46dd794eU);
        QCOMPARE(contract::crc32c("123456789"), 0xe3069283U);
    }

    void E7_everyValueWithItsStepAndTime()
    {
        const RunHome home;
        const auto run = home.createRun("a", 2);
        beginAttempt(run, 2, 2, 2, {{"optim.lr", "0.5"}, {"run.name", "a|b"}});
        append(run.journal(0), headerLine(1, 0) + stepLine(1, 10, {{"loss", 0.1}}) + stepLine(2, 20, {{"loss", std::nan("")}}) + stepLine(3, 30, {{"loss", 7}})
                + headerLine(2, 0, 2'000'000) + stepLine(3, 5, {{"loss", 1e-40}}) + stepLine(1'000'000'000'000, 6, {{"loss", -0.0}}));
        append(run.journal(1), headerLine(1, 1) + stepLine(1, 11, {{"loss", 3}}));
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        const fs::path folder = home.root() / "logs" / "a";
        storage::exportTensorBoard(store, "a", folder);

        const Log log = logOf(folder);
        QCOMPARE(log.version, std::string("brain.Event:2"));
        const auto& loss = log.scalars.at("loss");
        QCOMPARE(loss.size(), std::size_t(4));
        QCOMPARE(loss[0].step, 1);
        QCOMPARE(loss[0].value, 0.1F);
        QCOMPARE(loss[0].unixSeconds, 1000.01);
        QVERIFY(std::isnan(loss[1].value));
        QCOMPARE(loss[2].value, 1e-40F);
        QCOMPARE(loss[2].unixSeconds, 2000.005);
        QCOMPARE(loss[3].step, std::int64_t(1'000'000'000'000));
        const Log superseded = logOf(folder / "superseded-1"), other = logOf(folder / "rank-1");
        QCOMPARE(superseded.scalars.at("loss").size(), std::size_t(1));
        QCOMPARE(superseded.scalars.at("loss")[0].value, 7.0F);
        QCOMPARE(other.scalars.at("loss")[0].value, 3.0F);
        const std::string& options = log.others.at("options/text_summary");
        QVERIFY(options.find("| optim.lr | 0.5 |") != std::string::npos && options.find("| run.name | a\\|b |") != std::string::npos);
    }

    /// The run waited in a queue for three hours before its ranks started; the machine's journal began a minute before them.
    void E7_timesCountFromTheStartOfTheRanks()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        constexpr std::int64_t kPrepared = 1'000'000, kRanks = kPrepared + 3 * 3'600'000;
        QCOMPARE(run.readStart(1).startUnixMs, kPrepared);
        append(run.journal(0), headerLine(1, 0, kRanks) + stepLine(1, 500, {{"loss", 1}}));
        append(run.journal(-2), headerLine(1, -2, kRanks - 60'000) + stepLine(5, 5000, {{"system/cpu_load", 1}}, "host"));
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        storage::exportTensorBoard(store, "a", home.root() / "logs");
        const Log log = logOf(home.root() / "logs");
        QCOMPARE(log.scalars.at("loss").at(0).unixSeconds, 11'800.5);
        QCOMPARE(log.scalars.at("system/cpu_load").at(0).unixSeconds, 11'745.0);
    }

    void E7_samplesAreImagesNamedByTheirPrompt()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        fs::create_directories(run.samples());
        const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x05\0\0\0\x07rest", 28);
        std::ofstream(run.samples() / "one.png", std::ios::binary) << png;
        std::ofstream(run.samples() / "broken.png", std::ios::binary) << "GIF89a";
        const auto sample = [](const char* file, const char* prompt) {
            return std::string("{\"type\":\"sample\",\"step\":4,\"t_ms\":1,\"file\":\"samples/") + file + "\",\"prompt\":\"" + prompt + "\",\"seed\":1}\n";
        };
        append(run.journal(0), headerLine(1, 0) + sample("one.png", "a cat") + sample("broken.png", "a dog") + sample("gone.png", "a bird"));
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        QCOMPARE(store.samples("a").size(), std::size_t(3));
        storage::exportTensorBoard(store, "a", home.root() / "logs");
        const Log log = logOf(home.root() / "logs");
        QCOMPARE(log.others.size(), std::size_t(2));  // the options, and the only picture
        const auto image = fieldsOf(fieldsOf(log.others.at("samples/a cat")).find(4)->second);
        QCOMPARE(at<std::int64_t>(image.find(1)->second, 0), 7);  // height
        QCOMPARE(at<std::int64_t>(image.find(2)->second, 0), 5);  // width
        QCOMPARE(image.find(4)->second, png);
    }

    void E7_aFolderWithFilesIsLeftAlone()
    {
        const RunHome home;
        home.createRun("a");
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        append(home.root() / "logs", "a file");
        QVERIFY_THROWS_EXCEPTION(std::exception, storage::exportTensorBoard(store, "a", home.root() / "logs"));
        QVERIFY_THROWS_EXCEPTION(std::exception, storage::exportTensorBoard(store, "a", home.root()));
        QVERIFY_THROWS_EXCEPTION(std::exception, storage::exportTensorBoard(store, "b", home.root() / "other"));
        QVERIFY(!fs::exists(home.root() / "other"));
    }
};

QTEST_GUILESS_MAIN(TensorBoardExportTest)
#include "tst_tensorboard_export.moc"
