// What data ranks keep beside the shards: each writes its own file once, and a file that is damaged or not what is expected is refused.
#include "tests/engine/checkpoint/mesh_shape_rows.h"
#include "tests/engine/checkpoint/small_ranks.h"

#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/checkpoint/data_file.h"
#include "engine/comm/errors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using contract::MeshShape;
using contract::RunFolder;
using engine::CheckpointWriter;
using engine::DataFiles;
using engine::Mesh;
using engine::RankData;

namespace {

constexpr std::int64_t kRows = 90'000;  // more than a block of the checksums

/// Tensors of data rank @p rank: one of them strided.
RankData dataOf(std::int64_t rank)
{
    const at::Tensor samples = at::arange(2 * kRows, at::kFloat).view({kRows, 2}).t() + static_cast<double>(rank);
    return {.facts = {{"rollout.steps", "4"}},
        .tensors = {{std::to_string(rank) + "/samples", samples}, {std::to_string(rank) + "/prompts", at::full({3}, rank, at::kLong)}}};
}

std::string messageOf(const std::function<void()>& body)
{
    try {
        body();
    } catch (const engine::EngineError& error) {
        return error.kind() == engine::EngineError::Kind::BadCheckpoint ? error.what() : "another kind of error";
    }
    return "no error";
}

}  // namespace

class DataFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    int m_count = 0;

    fs::path newFolder()
    {
        const fs::path folder = fs::path(m_root.path().toStdString()) / std::to_string(++m_count);
        fs::create_directories(folder);
        return folder;
    }

    /// A checkpoint whose data file holds @p content; without checksums, as one that somebody made by hand.
    contract::CheckpointManifest handmade(const fs::path& folder, const std::string& content)
    {
        std::ofstream(folder / "data-0.safetensors", std::ios::binary) << content;
        contract::CheckpointManifest manifest;
        manifest.fileBytes["data-0.safetensors"] = content.size();
        return manifest;
    }

private Q_SLOTS:
    void eachDataRankWritesItsDataOnce_data()
    {
        QTest::addColumn<MeshShape>("shape");
        QTest::newRow("E-133 2 shards") << MeshShape {.world = 2, .shard = 2};
        QTest::newRow("E-133 2 replicas of 2 shards") << MeshShape {.world = 4, .shard = 2};
        QTest::newRow("E-133 2 ranks of one sequence (Ulysses)") << MeshShape {.world = 2, .shard = 2, .ulysses = 2};
        QTest::newRow("E-133 2 sequences over 2 ranks each (ring)") << MeshShape {.world = 4, .shard = 4, .ring = 2};
    }
    void eachDataRankWritesItsDataOnce()
    {
        QFETCH(MeshShape, shape);
        const RunFolder run(newFolder());
        fs::create_directories(run.checkpoints());
        const std::string failed = tests::runRanks(shape, [&](Mesh& mesh) -> std::string {
            tests::SmallModel model(mesh);
            model.fill(1);
            CheckpointWriter writer(run, model.units(), mesh, engine::Contents::All, {});
            writer.save(tests::manifestOf(5), dataOf(mesh.data().rank()));
            writer.save(tests::manifestOf(6));
            std::string problems;
            for (const engine::SaveResult& result : writer.finish())
                problems += result.problem;
            return problems;
        });
        QVERIFY2(failed.empty(), failed.c_str());
        contract::verifyCheckpoint(run.checkpoint(5));  // throws when damaged
        const contract::CheckpointManifest manifest = contract::readManifest(run.checkpoint(5));
        QCOMPARE(manifest.fileBytes.size(), static_cast<std::size_t>(shape.shard + shape.data()));
        QCOMPARE(manifest.checksums.size(), manifest.fileBytes.size());
        const auto entries = std::distance(fs::directory_iterator(run.checkpoint(5)), fs::directory_iterator());
        QCOMPARE(static_cast<std::size_t>(entries), manifest.fileBytes.size() + 1);  // and the manifest

        DataFiles files(run.checkpoint(5), manifest);
        QCOMPARE(files.facts().size(), std::size_t {1});
        QCOMPARE(files.facts().at("rollout.steps"), std::string("4"));
        for (std::int64_t rank = 0; rank < shape.data(); ++rank) {
            const RankData expected = dataOf(rank);
            for (const auto& [name, tensor] : expected.tensors)
                QVERIFY(at::equal(files.read(name, tensor.scalar_type(), tensor.sizes().vec()), tensor));
        }
        QVERIFY(DataFiles(run.checkpoint(6), contract::readManifest(run.checkpoint(6))).isEmpty());
    }

    void aFileThatDoesNotFitIsRefused_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("rows");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("missing") << QByteArray("1/samples") << int(at::kFloat) << 2 << QByteArray("no file has its data \"1/samples\"");
        QTest::newRow("another shape") << QByteArray("0/samples") << int(at::kFloat) << 3
                                       << QByteArray("\"0/samples\" in data-0.safetensors is F32 [2, 90000] instead of F32 [3, 90000]");
        QTest::newRow("another dtype") << QByteArray("0/samples") << int(at::kLong) << 2
                                       << QByteArray("\"0/samples\" in data-0.safetensors is F32 [2, 90000] instead of I64 [2, 90000]");
    }
    void aFileThatDoesNotFitIsRefused()
    {
        QFETCH(QByteArray, name);
        QFETCH(int, dtype);
        QFETCH(int, rows);
        QFETCH(QByteArray, message);
        const fs::path folder = newFolder();
        contract::CheckpointManifest manifest;
        manifest.fileBytes["data-0.safetensors"] = engine::writeDataFile(dataOf(0), folder / "data-0.safetensors").bytes;
        const std::string actual = messageOf([&] {
            DataFiles(folder, manifest).read(name.toStdString(), static_cast<at::ScalarType>(dtype), {rows, kRows});
        });
        QCOMPARE(actual, "checkpoint " + folder.string() + ": " + message.toStdString() + "; resume from another one");
    }

    void aFileThatIsNoneIsRefused_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("five bytes") << QByteArray("abcde");
        QTest::newRow("a header beyond its end") << QByteArray("\x40\0\0\0\0\0\0\0{}", 10);
        QTest::newRow("a header of exabytes") << QByteArray(16, '\xff');
        QTest::newRow("no JSON") << QByteArray("\x02\0\0\0\0\0\0\0{[", 10);
        QTest::newRow("values that are not there") << QByteArray("\x40\0\0\0\0\0\0\0", 8)
                + QByteArray("{\"a\":{\"dtype\":\"F32\",\"shape\":[4096],\"data_offsets\":[0,16384]}}").leftJustified(64, ' ');
    }
    void aFileThatIsNoneIsRefused()
    {
        QFETCH(QByteArray, content);
        const fs::path folder = newFolder();
        const contract::CheckpointManifest manifest = handmade(folder, content.toStdString());
        const std::string message = messageOf([&] { DataFiles files(folder, manifest); });
        QVERIFY2(message.starts_with("checkpoint " + folder.string() + ": ") && message.ends_with("; resume from another one"), message.c_str());
    }

    void damagedDataIsRefused()
    {
        const fs::path folder = newFolder(), file = folder / "data-0.safetensors";
        contract::CheckpointManifest manifest;
        const engine::FileChecksums written = engine::writeDataFile(dataOf(0), file);
        QCOMPARE(written.bytes, fs::file_size(file));
        manifest.fileBytes[file.filename().string()] = written.bytes;
        manifest.blocks[file.filename().string()] = written.blocks;
        const auto read = [&] { DataFiles(folder, manifest).read("0/samples", at::kFloat, {2, kRows}); };
        QCOMPARE(messageOf(read), std::string("no error"));
        std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(-1000, std::ios::end).put('\x5a');
        const std::string message = messageOf(read);
        QVERIFY2(message.find("data-0.safetensors: a checksum does not match") != std::string::npos, message.c_str());
    }
};

QTEST_APPLESS_MAIN(DataFileTest)
#include "tst_data_file.moc"
