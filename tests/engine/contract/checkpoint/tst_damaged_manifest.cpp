// A damaged or hostile checkpoint is told with the file and the cause, and nothing changed is read.
#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/text.h"
#include "tests/engine/contract/checkpoint/example_checkpoint.h"

#include <QtTest>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using contract::CheckpointManifest;
using tests::contentOf;
using tests::damageOf;
using Change = std::function<void(nlohmann::json&)>;
class DamagedManifestTest : public QObject, tests::ExampleCheckpoints {
    Q_OBJECT

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

QTEST_APPLESS_MAIN(DamagedManifestTest)
#include "tst_damaged_manifest.moc"
