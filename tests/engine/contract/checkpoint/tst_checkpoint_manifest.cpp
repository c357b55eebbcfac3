#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/contract/formats/text.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using contract::CheckpointManifest;
using Change = std::function<void(nlohmann::json&)>;
Q_DECLARE_METATYPE(Change)

namespace {

CheckpointManifest example()
{
    CheckpointManifest manifest;
    manifest.run = "digits-x";
    manifest.attempt = 2;
    manifest.step = 500;
    manifest.unixMs = 1795255200000;
    manifest.worldSize = 2;
    manifest.model = "dit";
    manifest.modelOptions = {{"model.width", "128"}};
    manifest.metrics = {{"loss", 1.0 / 3}, {"grad_norm", std::nan("")}, {"validation/loss", -INFINITY}};
    manifest.state = {{"optimizer_steps", "499"}, {"rng/rank-0", "00ff"}};
    manifest.fileBytes = {{"rank-0.safetensors", 40}, {"rank-1.safetensors", 24}};
    // 6 elements of float32: 4 in the first file from byte 16 on, 2 in the second.
    manifest.tensors = {{"model/w", "F32", {2, 3},
        {{"rank-0.safetensors", 16, 0, 4}, {"rank-1.safetensors", 16, 4, 2}}}};
    return manifest;
}

/// Bytes that count up, so that no two blocks are alike.
void write(const fs::path& file, std::size_t bytes)
{
    std::string content(bytes, '\0');
    for (std::size_t at = 0; at < bytes; ++at)
        content[at] = static_cast<char>('a' + at);
    std::ofstream(file) << content;
}

std::string contentOf(const fs::path& file)
{
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
}

}  // namespace

class CheckpointManifestTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    int m_count = 0;

    fs::path writeExample()
    {
        const fs::path folder = fs::path(m_root.path().toStdString()) / std::to_string(++m_count);
        fs::create_directories(folder);
        write(folder / "rank-0.safetensors", 40);
        write(folder / "rank-1.safetensors", 24);
        CheckpointManifest manifest = example();
        manifest.blockBytes = 8;
        for (const auto& [name, bytes] : manifest.fileBytes) {
            manifest.checksums[name] = contract::checksumOf(folder / name);
            contract::BlockChecksums blocks(8);
            const std::string content = contentOf(folder / name);
            blocks.add(content.data(), content.size());
            manifest.blocks[name] = blocks.finish();
        }
        contract::writeManifest(folder, manifest);
        return folder;
    }

    /// Writes a manifest as it is, with the right checksum of itself, as a program that means harm would.
    static void seal(const fs::path& folder, nlohmann::json json)
    {
        json.erase("checksum");
        const std::string text = json.dump(1) + "\n";
        contract::Checksum checksum;
        checksum.add(text.data(), text.size());
        json["checksum"] = checksum.text();
        std::ofstream(folder / contract::kManifestFile) << json.dump(1) << "\n";
    }

    static std::string problemOf(const fs::path& folder)
    {
        try {
            (void)contract::readManifest(folder);
            return {};
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }

private Q_SLOTS:
    void readsBack()
    {
        const CheckpointManifest wrote = example();
        const CheckpointManifest read = contract::readManifest(writeExample());
        QCOMPARE(read.run, wrote.run);
        QCOMPARE(read.attempt, wrote.attempt);
        QCOMPARE(read.step, wrote.step);
        QCOMPARE(read.unixMs, wrote.unixMs);
        QCOMPARE(read.worldSize, wrote.worldSize);
        QCOMPARE(read.model, wrote.model);
        QCOMPARE(read.modelOptions, wrote.modelOptions);
        QCOMPARE(read.state, wrote.state);
        QCOMPARE(read.fileBytes, wrote.fileBytes);
        QCOMPARE(read.checksums.size(), wrote.fileBytes.size());
        QCOMPARE(read.blockBytes, std::uint64_t(8));
        QCOMPARE(read.blocks.at("rank-0.safetensors").size(), std::size_t(5));
        QCOMPARE(read.blocks.at("rank-1.safetensors")[2], contract::checksumOf("qrstuvwx", 8));
        QCOMPARE(read.metrics.at("loss"), 1.0 / 3);
        QVERIFY(std::isnan(read.metrics.at("grad_norm")));
        QCOMPARE(read.metrics.at("validation/loss"), -INFINITY);
        QCOMPARE(read.tensors.size(), std::size_t(1));
        QCOMPARE(read.tensors[0].shape, wrote.tensors[0].shape);
        QCOMPARE(read.tensors[0].pieces[1].begin, std::uint64_t(4));
    }

    void sizesAddUp()
    {
        QCOMPARE(example().bytes(), std::uint64_t(64));
        QCOMPARE(example().tensors[0].elements(), std::uint64_t(6));
        QCOMPARE(example().tensors[0].bytes(), std::uint64_t(24));
        QCOMPARE(contract::dtypeBytes("BF16"), std::uint64_t(2));
        QCOMPARE(contract::dtypeBytes("F31"), std::uint64_t(0));
    }

    void damageIsToldWithTheFileAndTheCause_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QByteArray>("cause");
        const auto row = [](const char* name, Change change, const char* cause) {
            QTest::newRow(name) << change << QByteArray(cause);
        };
        row("newer", [](auto& json) { json["v"] = 2; }, "newer Atelier");
        row("lacks the step", [](auto& json) { json.erase("step"); }, "step");
        row("wrong type", [](auto& json) { json["tensors"] = 3; }, "manifest.json");
        row("outside the folder", [](auto& json) { json["files"]["../x"] = 1; }, "not allowed");
        row("hidden file", [](auto& json) { json["files"][".x"] = 1; }, "not allowed");
        row("checksum of an unlisted file", [](auto& json) { json["checksums"]["../x"] = "0"; }, "does not list");
        row("unlisted file", [](auto& json) { json["tensors"][0]["pieces"][1]["file"] = "rank-7"; }, "rank-7");
        row("missing file", [](auto& json) { json["files"]["rank-2.safetensors"] = 1; }, "is missing");
        row("unknown dtype", [](auto& json) { json["tensors"][0]["dtype"] = "F31"; }, "F31");
        row("gap", [](auto& json) { json["tensors"][0]["pieces"][1]["begin"] = 5; }, "gap or an overlap");
        row("overlap", [](auto& json) { json["tensors"][0]["pieces"][1]["begin"] = 3; }, "gap or an overlap");
        row("lacks elements", [](auto& json) { json["tensors"][0]["pieces"].erase(1); }, "lacks elements");
        row("too many elements", [](auto& json) { json["tensors"][0]["pieces"][1]["count"] = 3; }, "overlap");
        row("past the end", [](auto& json) { json["tensors"][0]["pieces"][1]["offset"] = 20; }, "past the end");
        row("offset overflow",
            [](auto& json) { json["tensors"][0]["pieces"][1]["offset"] = UINT64_MAX; }, "past the end");
        row("negative size", [](auto& json) { json["tensors"][0]["shape"] = {-2, -3}; }, "impossible shape");
        row("overflowing shape",
            [](auto& json) { json["tensors"][0]["shape"] = {INT64_MAX, INT64_MAX}; }, "impossible shape");
        row("blocks of an unlisted file", [](auto& json) { json["blocks"]["checksums"]["../x"] = ""; }, "does not list");
        row("too few blocks", [](auto& json) { json["blocks"]["bytes"] = 7; }, "instead of 6");
        row("blocks of no size", [](auto& json) { json["blocks"]["bytes"] = 0; }, "for the blocks of rank-0");
        row("no digits", [](auto& json) { json["blocks"]["checksums"]["rank-0.safetensors"] = std::string(16 * 5, 'x'); }, "malformed");
        row("half a checksum", [](auto& json) { json["blocks"]["checksums"]["rank-0.safetensors"] = "00ff"; }, "malformed");
    }
    void damageIsToldWithTheFileAndTheCause()
    {
        QFETCH(Change, change);
        QFETCH(QByteArray, cause);
        const fs::path folder = writeExample();
        const fs::path file = folder / contract::kManifestFile;
        auto json = nlohmann::json::parse(contentOf(file));
        change(json);
        seal(folder, json);
        const std::string problem = problemOf(folder);
        QVERIFY2(problem.find(file.string()) != std::string::npos, problem.c_str());
        QVERIFY2(problem.find(cause.toStdString()) != std::string::npos, problem.c_str());
    }

    void messagesAreOneShortLine_data()
    {
        QTest::addColumn<QByteArray>("manifest");
        QTest::newRow("fuzz: bytes that are no text") << QByteArray("{\"v\": \xFF}");
        QTest::newRow("fuzz: control characters") << QByteArray("{\"v\": \x1b[2J}");
        QTest::newRow("fuzz: a long token") << "{\"v\": " + QByteArray(100'000, 'x');
    }
    void messagesAreOneShortLine()
    {
        QFETCH(QByteArray, manifest);
        const fs::path folder = writeExample();
        std::ofstream(folder / contract::kManifestFile, std::ios::binary) << manifest.toStdString();
        const std::string problem = problemOf(folder);
        QVERIFY2(problem.starts_with((folder / contract::kManifestFile).string()) && problem.size() < 1000, problem.c_str());
        QVERIFY2(contract::isUtf8(problem) && std::ranges::none_of(problem, [](char c) { return c >= 0 && c < ' '; }), problem.c_str());
    }

    void truncatedTensorsAreFound()
    {
        const fs::path folder = writeExample();
        fs::resize_file(folder / "rank-1.safetensors", 23);
        const std::string problem = problemOf(folder);
        QVERIFY2(problem.find("rank-1.safetensors has 23 bytes instead of 24") != std::string::npos, problem.c_str());
    }

    static std::string damageOf(const fs::path& folder)
    {
        try {
            contract::verifyCheckpoint(folder);
            return {};
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }

    void everyChangedByteIsFound_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("E-120 first rank's file") << "rank-0.safetensors";
        QTest::newRow("E-120 second rank's file") << "rank-1.safetensors";
        QTest::newRow("E-120 manifest") << "manifest.json";
    }
    void everyChangedByteIsFound()
    {
        QFETCH(QString, file);
        const fs::path folder = writeExample();
        QCOMPARE(damageOf(folder), std::string());
        const fs::path path = folder / file.toStdString();
        const std::string whole = contentOf(path);
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string bad = whole;
            bad[at] = static_cast<char>(bad[at] ^ 1);
            std::ofstream(path, std::ios::binary) << bad;
            const std::string damage = damageOf(folder);
            QVERIFY2(damage.find(path.string()) != std::string::npos, qPrintable(QStringLiteral("byte %1").arg(at)));
        }
        std::ofstream(path, std::ios::binary) << whole;
        QCOMPARE(damageOf(folder), std::string());
    }

    void aChangedManifestIsNotRead_data()
    {
        QTest::addColumn<Change>("change");
        const auto row = [](const char* name, Change change) { QTest::newRow(name) << change; };
        row("defect-28: a tensor was removed", [](auto& json) { json["tensors"].erase(0); });
        row("defect-28: the offsets of two pieces were swapped", [](auto& json) {
            auto& pieces = json["tensors"][0]["pieces"];
            pieces[0]["offset"] = 20;
        });
        row("defect-28: another step", [](auto& json) { json["step"] = 501; });
        row("defect-28: its checksum was removed", [](auto& json) { json.erase("checksum"); });
        row("defect-28: the files' checksums were removed", [](auto& json) { json.erase("checksums"); });
        row("defect-28: the blocks' checksums were removed", [](auto& json) { json.erase("blocks"); });
    }
    void aChangedManifestIsNotRead()
    {
        QFETCH(Change, change);
        const fs::path folder = writeExample();
        const fs::path file = folder / contract::kManifestFile;
        auto json = nlohmann::json::parse(contentOf(file));
        change(json);
        std::ofstream(file) << json.dump(1) << "\n";
        const std::string problem = problemOf(folder);
        QVERIFY2(problem == file.string() + ": its checksum does not match, so it was changed or damaged", problem.c_str());
    }

    void whatIsReadFromAFileIsChecked_data()
    {
        QTest::addColumn<bool>("hasBlocks");
        QTest::addColumn<bool>("isLater");
        QTest::newRow("defect-28: blocks of 8 bytes") << true << false;
        QTest::newRow("defect-28: blocks of 8 bytes, compared later") << true << true;
        QTest::newRow("defect-28: a checkpoint of version 0.2, without blocks") << false << false;
    }
    /// Every range of a file is read after each of its bits was flipped in turn: what read() returns is what was written.
    void whatIsReadFromAFileIsChecked()
    {
        QFETCH(bool, hasBlocks);
        QFETCH(bool, isLater);
        const fs::path folder = writeExample();
        if (!hasBlocks) {
            auto json = nlohmann::json::parse(contentOf(folder / contract::kManifestFile));
            json.erase("blocks");
            seal(folder, json);
        }
        const CheckpointManifest manifest = contract::readManifest(folder);
        const std::string name = "rank-0.safetensors";
        const std::string whole = contentOf(folder / name);
        const auto read = [&](std::uint64_t begin, std::uint64_t end) {
            std::string bytes(end - begin, '\0');
            contract::CheckpointFile file(folder, manifest, name);
            std::vector<std::function<void()>> comparisons;
            contract::CheckpointFile::Later later;
            if (isLater)
                later = [&](std::function<void()> comparison) { comparisons.push_back(std::move(comparison)); };
            file.read(bytes.data(), bytes.size(), begin, later);
            for (const auto& comparison : comparisons)
                comparison();
            return bytes;
        };
        for (std::uint64_t begin = 0; begin <= 40; ++begin) {
            for (std::uint64_t end = begin; end <= 40; ++end)
                QCOMPARE(read(begin, end), whole.substr(begin, end - begin));
        }
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, read(39, 41));
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string bad = whole;
            bad[at] = static_cast<char>(bad[at] ^ 4);
            std::ofstream(folder / name, std::ios::binary) << bad;
            for (std::uint64_t begin = 0; begin < 40; begin += 3) {
                for (std::uint64_t end = begin + 1; end <= 40; end += 5) {
                    std::string problem;
                    try {
                        QCOMPARE(read(begin, end), whole.substr(begin, end - begin));
                    } catch (const std::runtime_error& error) {
                        problem = error.what();
                    }
                    const bool isRead = begin <= at && at < end;
                    QVERIFY2(!isRead || problem.find((folder / name).string()) != std::string::npos, problem.c_str());
                    const bool isInABlockThatIsRead = begin / 8 <= at / 8 && at / 8 <= (end - 1) / 8;
                    QVERIFY2(problem.empty() || !hasBlocks || isInABlockThatIsRead, problem.c_str());
                }
            }
        }
    }

    void checkpointsWithoutChecksumsAreRead()
    {
        const fs::path folder = writeExample();
        auto json = nlohmann::json::parse(contentOf(folder / contract::kManifestFile));
        json.erase("checksums");
        json.erase("checksum");
        json.erase("blocks");
        std::ofstream(folder / contract::kManifestFile) << json.dump();
        QVERIFY(contract::readManifest(folder).checksums.empty());
        QCOMPARE(damageOf(folder), std::string());
    }

    void blocksAreChecksummedEachAlone()
    {
        const std::string content(1000, 'y');
        for (const std::size_t portion : {1, 7, 64, 1000}) {
            contract::BlockChecksums blocks(64);
            for (std::size_t done = 0; done < content.size(); done += portion)
                blocks.add(content.data() + done, std::min(portion, content.size() - done));
            const auto checksums = blocks.finish();
            QCOMPARE(checksums.size(), std::size_t(16));
            for (std::size_t block = 0; block < checksums.size(); ++block)
                QCOMPARE(checksums[block], contract::checksumOf(content.data() + 64 * block, std::min<std::size_t>(64, 1000 - 64 * block)));
        }
        QVERIFY(contract::BlockChecksums(64).finish().empty());
    }

    // Test vectors of the reference implementation: XXH3-64 with seed 0 of no bytes and of "abc".
    void checksumsAreXxh3_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("checksum");
        QTest::newRow("nothing") << QByteArray() << "2d06800538d394c2";
        QTest::newRow("abc") << QByteArray("abc") << "78af5f94892f3950";
    }
    void checksumsAreXxh3()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, checksum);
        contract::Checksum whole;
        whole.add(content.constData(), static_cast<std::size_t>(content.size()));
        QCOMPARE(QString::fromStdString(whole.text()), checksum);
        contract::Checksum parts;
        parts.add("x", 1);
        parts.reset();
        for (const char byte : content)
            parts.add(&byte, 1);
        QCOMPARE(parts.text(), whole.text());
        QCOMPARE(contract::checksumOf(content.constData(), static_cast<std::size_t>(content.size())), whole.value());
    }

    void folderWithoutManifestIsNoCheckpoint()
    {
        QVERIFY(problemOf(m_root.path().toStdString()).find("not a checkpoint") != std::string::npos);
    }

    void manifestCutAnywhereIsAnErrorAndNoCrash()
    {
        const fs::path folder = writeExample();
        const std::string whole = contentOf(folder / contract::kManifestFile);
        for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
            std::ofstream(folder / contract::kManifestFile) << whole.substr(0, length);
            QVERIFY(!problemOf(folder).empty());
        }
    }

    void damagedBytesNeverCrash()
    {
        const fs::path folder = writeExample();
        const std::string whole = contentOf(folder / contract::kManifestFile);
        std::mt19937 random(2);
        for (int i = 0; i < 3000; ++i) {
            std::string bad = whole;
            for (int change = 0; change < 2; ++change)
                bad[random() % bad.size()] = static_cast<char>(random());
            const auto json = nlohmann::json::parse(bad, nullptr, false);
            if (json.is_object() && i % 2 == 0)
                seal(folder, json);  // what lies behind the checksum must not crash either
            else
                std::ofstream(folder / contract::kManifestFile) << bad;
            (void)problemOf(folder);
        }
    }
};

QTEST_APPLESS_MAIN(CheckpointManifestTest)
#include "tst_checkpoint_manifest.moc"
