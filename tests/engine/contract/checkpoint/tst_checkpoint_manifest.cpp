// The manifest of a checkpoint is read as it was written, and its checksums are XXH3.
#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/checkpoint/damage_mark.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/safetensors_header.h"
#include "tests/engine/contract/checkpoint/example_checkpoint.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using contract::CheckpointManifest;
using tests::contentOf;
using tests::damageOf;
using tests::example;

class CheckpointManifestTest : public QObject, tests::ExampleCheckpoints {
    Q_OBJECT

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

    void damageThatWasFoundOnceIsRemembered()
    {
        const fs::path folder = writeExample(), file = folder / "rank-1.safetensors";
        const std::string whole = contentOf(file);
        std::string content = whole;
        content[20] ^= 1;
        std::ofstream(file) << content;
        const contract::CheckpointManifest manifest = contract::readManifest(folder);  // it does not read the content
        contract::CheckpointFile reader(folder, manifest, "rank-1.safetensors");
        char bytes[8];
        std::string found;
        try {
            reader.read(bytes, sizeof bytes, 16);
        } catch (const std::runtime_error& error) {
            found = error.what();
        }
        QVERIFY2(found.starts_with(file.string() + ": a checksum does not match"), found.c_str());
        const auto problem = [&]() -> std::string {
            try {
                contract::readManifest(folder);
                return {};
            } catch (const std::runtime_error& error) {
                return error.what();
            }
        };
        QCOMPARE(problem(), found);
        QVERIFY(!damageOf(folder).empty());

        // A mark is a file from outside, too.
        std::ofstream(folder / contract::kDamageFile) << std::string(100'000, '\x1b');
        QVERIFY2(!problem().empty() && problem().size() < 1000, problem().c_str());
        std::ofstream(folder / contract::kDamageFile) << "a\x1b[31m" << std::string(1000, 'b');
        QVERIFY2(problem().size() < 1000 && problem().find('\x1b') == std::string::npos, problem().c_str());

        std::ofstream(file) << whole;
        QVERIFY(!problem().empty());  // nobody has looked since
        QCOMPARE(damageOf(folder), std::string());
        QCOMPARE(problem(), std::string());
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
};

QTEST_APPLESS_MAIN(CheckpointManifestTest)
#include "tst_checkpoint_manifest.moc"
