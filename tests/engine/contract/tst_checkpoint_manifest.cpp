#include "engine/contract/checkpoint_manifest.h"
#include "engine/contract/checksum.h"
#include "engine/contract/safetensors_header.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cctype>
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

void write(const fs::path& file, std::size_t bytes) { std::ofstream(file) << std::string(bytes, 'x'); }

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
        for (const auto& [name, bytes] : manifest.fileBytes)
            manifest.checksums[name] = contract::checksumOf(folder / name);
        contract::writeManifest(folder, manifest);
        return folder;
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
    }
    void damageIsToldWithTheFileAndTheCause()
    {
        QFETCH(Change, change);
        QFETCH(QByteArray, cause);
        const fs::path folder = writeExample();
        const fs::path file = folder / contract::kManifestFile;
        auto json = nlohmann::json::parse(contentOf(file));
        change(json);
        std::ofstream(file) << json.dump();
        const std::string problem = problemOf(folder);
        QVERIFY2(problem.find(file.string()) != std::string::npos, problem.c_str());
        QVERIFY2(problem.find(cause.toStdString()) != std::string::npos, problem.c_str());
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
            // White space between the manifest's words says nothing.
            if (path.filename() == contract::kManifestFile && std::isspace(static_cast<unsigned char>(whole[at])))
                continue;
            std::ofstream(path, std::ios::binary) << bad;
            const std::string damage = damageOf(folder);
            QVERIFY2(damage.find(path.string()) != std::string::npos, qPrintable(QStringLiteral("byte %1").arg(at)));
        }
        std::ofstream(path, std::ios::binary) << whole;
        QCOMPARE(damageOf(folder), std::string());
    }

    void checkpointsWithoutChecksumsAreRead()
    {
        const fs::path folder = writeExample();
        auto json = nlohmann::json::parse(contentOf(folder / contract::kManifestFile));
        json.erase("checksums");
        json.erase("checksum");
        std::ofstream(folder / contract::kManifestFile) << json.dump();
        QVERIFY(contract::readManifest(folder).checksums.empty());
        QCOMPARE(damageOf(folder), std::string());
    }

    // Values of the reference implementation's own test vectors: XXH3-64 of nothing, seed 0, and of "abc".
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
        for (const char byte : content)
            parts.add(&byte, 1);
        QCOMPARE(parts.text(), whole.text());
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
            std::ofstream(folder / contract::kManifestFile) << bad;
            (void)problemOf(folder);
        }
    }
};

QTEST_APPLESS_MAIN(CheckpointManifestTest)
#include "tst_checkpoint_manifest.moc"
