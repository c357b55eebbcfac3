// Checkpoints of named adapters: their contents, loading on other numbers of ranks, and adapters that a checkpoint lacks.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "tests/engine/checkpoint/small_ranks.h"
#include "tests/engine/lora/adapted_model.h"

#include <QTemporaryDir>
#include <QtTest>

#include <set>

namespace fs = std::filesystem;
using tests::adaptedSpecs;

namespace {

const engine::UnitOptions kOptions {.computeDtype = at::kBFloat16, .trainedDtype = at::kBFloat16, .storesFrozen = false};

using Names = std::vector<std::string>;

struct Adapted {
    Adapted(engine::Mesh& mesh, const Names& names, std::uint64_t seed)
        : pool(mesh.shard(), c10::Device(c10::DeviceType::CPU))
        , units(adaptedSpecs(names), mesh.shard(), pool, kOptions, {}, seed)
    {
        at::set_num_threads(1);
    }
    engine::BufferPool pool;
    engine::UnitSequence units;
};

}  // namespace

class AdapterCheckpointTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    contract::RunFolder run() const { return contract::RunFolder(fs::path(m_root.path().toStdString()) / "run"); }
    /// A checkpoint of what is drawn from seed 1.
    void save(int ranks, const Names& names) const
    {
        fs::remove_all(run().root());
        fs::create_directories(run().checkpoints());
        const std::string failed = tests::runRanks({.world = ranks, .shard = ranks}, [&](engine::Mesh& mesh) {
            Adapted model(mesh, names, 1);
            engine::CheckpointWriter writer(run(), model.units, mesh, engine::Contents::Weights, {});
            writer.save(tests::manifestOf(3));
            writer.finish();
            return std::string();
        });
        QVERIFY2(failed.empty(), failed.c_str());
    }

private Q_SLOTS:
    void oldComesBackAndIsCopiedWhereThereIsNone_data()
    {
        QTest::addColumn<int>("savers");
        QTest::addColumn<int>("loaders");
        QTest::addColumn<bool>("hasOld");
        const std::pair<int, int> ranks[] = {{1, 2}, {2, 4}, {4, 1}};
        for (const auto& [savers, loaders] : ranks) {
            QTest::addRow("E-100 E-131 restored, %d ranks to %d", savers, loaders) << savers << loaders << true;
            QTest::addRow("E-100 a copy of default, %d ranks to %d", savers, loaders) << savers << loaders << false;
        }
    }
    void oldComesBackAndIsCopiedWhereThereIsNone()
    {
        QFETCH(int, savers);
        QFETCH(int, loaders);
        QFETCH(bool, hasOld);
        save(savers, hasOld ? Names {"default", "old"} : Names {"default"});
        const std::string failed = tests::runRanks({.world = loaders, .shard = loaders}, [&](engine::Mesh& mesh) {
            Adapted model(mesh, {"default", "old"}, 2), saved(mesh, {"default", "old"}, 1);
            const auto frozen = tests::weightsOf(model.units).at("up.weight");
            const auto loaded = engine::loadCheckpoint(run().checkpoint(3), model.units, mesh, {}, {.contents = engine::Contents::Weights, .isStrict = true});
            const auto expected = tests::weightsOf(saved.units), actual = tests::weightsOf(model.units);
            std::string complaint;
            for (const auto& [name, values] : actual) {
                std::string source = name;
                if (const auto at = name.find(".old."); at != std::string::npos && !hasOld)
                    source.replace(at + 1, 3, "default");
                if (name.find(".lora_") != std::string::npos && !at::equal(values, expected.at(source)))
                    complaint += name + " is not what was saved; ";
            }
            if (!at::equal(actual.at("up.weight"), frozen))
                complaint += "the base changed; ";
            if (loaded.report.absentAdapters != (hasOld ? std::set<std::string> {} : std::set<std::string> {"old"}))
                complaint += "the report is wrong; ";
            return complaint;
        });
        QVERIFY2(failed.empty(), failed.c_str());
    }

    void theyHoldAdaptersAlone_E094_E105()
    {
        save(2, {"default", "old"});
        std::map<std::string, std::string> dtypes;
        for (const auto& tensor : contract::readManifest(run().checkpoint(3)).tensors)
            dtypes[tensor.name] = tensor.dtype;
        std::map<std::string, std::string> expected;
        for (const std::string matrix : {"up.lora_A", "up.lora_B", "block.0.down.lora_A", "block.0.down.lora_B"}) {
            expected["model/" + matrix + ".default.weight"] = "BF16";
            expected["ema/" + matrix + ".default.weight"] = "F32";
            expected["model/" + matrix + ".old.weight"] = "F32";
        }
        QVERIFY(dtypes == expected);
    }
};

QTEST_GUILESS_MAIN(AdapterCheckpointTest)
#include "tst_adapter_checkpoint.moc"
