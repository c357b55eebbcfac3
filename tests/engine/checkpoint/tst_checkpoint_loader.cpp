// What is loaded, what is reported, and how often a byte is read.
#include "tests/engine/checkpoint/small_ranks.h"

#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/errors.h"

#include <ATen/ops/equal.h>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using contract::MeshShape;
using contract::RunFolder;
using engine::Contents;
using engine::EngineError;
using engine::Mesh;
using tests::SmallModel;
using NameSet = std::set<std::string>;

namespace {

/// A line of /proc/self/status: "VmRSS", "VmHWM".
double residentBytes(const std::string& name)
{
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":"))
            return std::stod(line.substr(name.size() + 1)) * 1024;
    }
    return 0;
}

/// The highest resident size begins again at what is resident now.
void forgetPeak() { std::ofstream("/proc/self/clear_refs") << "5" << std::flush; }

}  // namespace

class CheckpointLoaderTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    int m_count = 0;
    Mesh m_mesh {{}, std::make_unique<engine::LoneGroup>()};

    static void requireWell(const std::string& complaints) { QVERIFY2(complaints.empty(), complaints.c_str()); }
    RunFolder newRun()
    {
        const RunFolder run(fs::path(m_root.path().toStdString()) / std::to_string(++m_count));
        fs::create_directories(run.checkpoints());
        return run;
    }
    /// @return the folder of a checkpoint of fill(1)
    fs::path saved(SmallModel& model, Contents contents = Contents::All)
    {
        const RunFolder run = newRun();
        model.fill(1);
        engine::CheckpointWriter writer(run, model.units(), m_mesh, contents, {});
        auto manifest = tests::manifestOf(3);
        manifest.modelOptions = {{"model.width", "64"}};
        writer.save(manifest);
        for (const auto& result : writer.finish())
            if (!result.problem.empty())
                qFatal("%s", result.problem.c_str());
        return run.checkpoint(3);
    }
    fs::path saved(Contents contents = Contents::All)
    {
        SmallModel model(m_mesh);
        return saved(model, contents);
    }
    static at::Tensor stateOf(SmallModel& model, std::size_t unit, const std::string& name)
    {
        for (const auto& state : model.units()[unit].storedStates())
            if (state.name == name)
                return state.values;
        return {};
    }
    std::string refusal(const fs::path& folder, SmallModel& model, const std::map<std::string, std::string>& options = {})
    {
        try {
            engine::loadCheckpoint(folder, model.units(), m_mesh, options, {});
            return {};
        } catch (const EngineError& error) {
            return error.kind() == EngineError::Kind::BadCheckpoint ? error.what() : "another kind of error";
        }
    }

private Q_SLOTS:
    void aLoadTakesTheMemoryOfWhatItKeeps_data()
    {
        QTest::addColumn<int>("shard");
        QTest::newRow("E-128, E-131 2 shards") << 2;
        QTest::newRow("E-128, E-131 2 replicas") << 1;
    }
    /// Besides the process: 1.2 times all that the rank keeps and the largest unit. The first test, because ranks are forks of this
    /// process and would use again what it has freed.
    void aLoadTakesTheMemoryOfWhatItKeeps()
    {
        QFETCH(int, shard);
        const std::vector<engine::UnitSpec> specs = {{"root", {{"root.weight", {4096, 512}, 0, true}}}, {"block", {{"block.weight", {4096, 512}, 0, true}}}};
        const RunFolder run = newRun();
        requireWell(tests::runRanks({.world = 1, .shard = 1}, [&](Mesh& mesh) {
            SmallModel model(mesh, specs);
            engine::CheckpointWriter writer(run, model.units(), mesh, Contents::All, {});
            writer.save(tests::manifestOf(1));
            return writer.finish().front().problem;
        }));
        requireWell(tests::runRanks({.world = 2, .shard = shard}, [&](Mesh& mesh) -> std::string {
            const double before = residentBytes("VmRSS");
            forgetPeak();
            SmallModel model(mesh, specs);
            engine::loadCheckpoint(run.checkpoint(1), model.units(), mesh, {}, {});
            const double taken = residentBytes("VmHWM") - before;
            double kept = 0, largestUnit = 0;
            for (std::size_t i = 0; i < model.units().size(); ++i) {
                double unit = 0;
                for (const auto& state : model.units()[i].storedStates())
                    unit += static_cast<double>(state.values.nbytes());
                kept += unit;
                largestUnit = std::max(largestUnit, unit);
            }
            const bool isWell = kept <= taken && taken <= 1.2 * (kept + largestUnit);
            return isWell ? "" : "it took " + std::to_string(taken) + " bytes and keeps " + std::to_string(kept);
        }));
    }

    void everyByteIsReadOnce_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("shard");
        QTest::newRow("E-131 3 shards") << 3 << 3;
        QTest::newRow("E-131 2 replicas of 2 shards") << 4 << 2;
        QTest::newRow("E-131 3 replicas") << 3 << 1;
    }
    void everyByteIsReadOnce()
    {
        QFETCH(int, world);
        QFETCH(int, shard);
        // Large beside the blocks that two ranks share, which both read.
        const std::vector<engine::UnitSpec> specs = {{"root", {{"root.weight", {4096, 512}, 0, true}, {"root.bias", {37}, 0, false}}},
            {"block", {{"block.weight", {4096, 512}, 0, true}}}};
        SmallModel writing(m_mesh, specs);
        const fs::path folder = saved(writing);
        const auto manifest = contract::readManifest(folder);
        std::uint64_t tensorBytes = 0;
        for (const auto& tensor : manifest.tensors)
            tensorBytes += tensor.bytes();
        const auto manifestBytes = static_cast<double>(fs::file_size(folder / contract::kManifestFile));  // which each rank reads
        requireWell(tests::runRanks({.world = world, .shard = shard}, [&](Mesh& mesh) -> std::string {
            SmallModel model(mesh, specs);
            const std::string complaint = tests::faultOfReading(mesh, static_cast<double>(tensorBytes) + world * manifestBytes,
                [&] { engine::loadCheckpoint(folder, model.units(), mesh, {}, {}); });
            const std::string wrong = model.difference(1);
            return wrong.empty() ? complaint : wrong + " is not what was saved";
        }));
    }

    void aDamagedByteIsNeverLoaded_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("isLoaded");
        QTest::newRow("defect-28: a weight") << "model/blocks.0.weight" << true;
        QTest::newRow("defect-28: a moment") << "exp_avg/blocks.0.weight" << true;
        QTest::newRow("defect-28: the manifest") << "manifest.json" << true;
        QTest::newRow("defect-28: a moment that is not loaded") << "exp_avg/blocks.0.weight" << false;
    }
    void aDamagedByteIsNeverLoaded()
    {
        QFETCH(QString, file);
        QFETCH(bool, isLoaded);
        // Blocks of a weight are not blocks of a moment.
        const std::vector<engine::UnitSpec> specs = {{"blocks.0", {{"blocks.0.weight", {1024, 512}, 0, true}}}};
        SmallModel writing(m_mesh, specs);
        const fs::path folder = saved(writing);
        fs::path damaged = folder / file.toStdString();
        auto at = static_cast<std::streamoff>(100);
        for (const auto& tensor : contract::readManifest(folder).tensors) {
            if (tensor.name == file.toStdString()) {
                damaged = folder / tensor.pieces.front().file;
                at = static_cast<std::streamoff>(tensor.pieces.front().offset + tensor.bytes() / 2);
            }
        }
        std::fstream stream(damaged, std::ios::binary | std::ios::in | std::ios::out);
        stream.seekg(at);
        const int byte = stream.get();
        stream.seekp(at);
        stream.put(static_cast<char>(byte ^ 16));
        stream.close();

        SmallModel model(m_mesh, specs);
        std::string told;
        try {
            engine::loadCheckpoint(folder, model.units(), m_mesh, {}, {.contents = isLoaded ? Contents::All : Contents::Weights});
        } catch (const EngineError& error) {
            told = error.what();
            QCOMPARE(error.kind(), EngineError::Kind::BadCheckpoint);
        }
        QVERIFY2(isLoaded == (told.find(damaged.string()) != std::string::npos), told.c_str());
        QVERIFY2(isLoaded == (told.find("damaged") != std::string::npos), told.c_str());
    }

    void aStrictLoadNamesWhatDoesNotFit_E128()
    {
        SmallModel model(m_mesh, tests::changedUnits());
        const std::string told = refusal(saved(), model);
        for (const char* part : {"lacks ema/blocks.0.scale, exp_avg/blocks.0.scale, ", "step-3",
                 "has with another shape or dtype: ema/embed.bias, ", "has unexpected ema/blocks.0.gain, "})
            QVERIFY2(told.find(part) != std::string::npos, told.c_str());
    }

    void aLooseLoadTakesWhatFitsAndReportsTheRest_E128()
    {
        const fs::path folder = saved();
        SmallModel model(m_mesh, tests::changedUnits());
        model.fill(2);
        const at::Tensor former = model.weightBits(1, 1);
        const auto report = engine::loadCheckpoint(
            folder, model.units(), m_mesh, {{"model.width", "96"}}, {.contents = Contents::Weights, .isStrict = false})
                                .report;
        QCOMPARE(report.missing, NameSet({"ema/blocks.0.scale", "model/blocks.0.scale"}));
        QCOMPARE(report.mismatched, NameSet({"ema/embed.bias", "model/embed.bias"}));
        QCOMPARE(report.unexpected, NameSet({"ema/blocks.0.gain", "model/blocks.0.gain"}));
        SmallModel whole(m_mesh);
        whole.fill(1);
        QVERIFY(at::equal(model.weightBits(0, 0), whole.weightBits(0, 0)));
        QVERIFY(at::equal(model.weightBits(1, 0), whole.weightBits(1, 0)));
        QVERIFY(at::equal(model.weightBits(1, 1), former));  // kept
    }

    void theOptimizerCanBeLeftOut_data()
    {
        QTest::addColumn<bool>("isSaved");
        QTest::addColumn<bool>("isWanted");
        QTest::newRow("E-121, E-128 not in the checkpoint") << false << true;
        QTest::newRow("E-124 not wanted") << true << false;
    }
    void theOptimizerCanBeLeftOut()
    {
        QFETCH(bool, isSaved);
        QFETCH(bool, isWanted);
        const fs::path folder = saved(isSaved ? Contents::All : Contents::Weights);
        SmallModel model(m_mesh);
        model.fill(2);
        const at::Tensor former = stateOf(model, 0, "exp_avg").clone();
        const auto report = engine::loadCheckpoint(
            folder, model.units(), m_mesh, {}, {.contents = isWanted ? Contents::All : Contents::Weights})
                                .report;
        QVERIFY(report.isExactMatch());
        QCOMPARE(report.absentKinds, isSaved ? NameSet() : NameSet({"exp_avg", "exp_avg_sq"}));
        QVERIFY(at::equal(stateOf(model, 0, "exp_avg").view(at::kInt), former.view(at::kInt)));
        SmallModel whole(m_mesh);
        whole.fill(1);
        for (const char* name : {"model", "ema"})
            QVERIFY(at::equal(stateOf(model, 0, name).view(at::kInt), stateOf(whole, 0, name).view(at::kInt)));
    }

    void anAverageThatIsMissingBeginsAsTheWeights()
    {
        SmallModel without(m_mesh, tests::smallUnits(), false);
        const fs::path folder = saved(without);
        SmallModel model(m_mesh);
        const auto report = engine::loadCheckpoint(folder, model.units(), m_mesh, {}, {}).report;
        QCOMPARE(report.absentKinds, NameSet({"ema"}));
        QVERIFY(at::equal(stateOf(model, 0, "ema").view(at::kInt), stateOf(model, 0, "model").view(at::kInt)));
        // The other way round it is not wanted, and no fault.
        const auto other = engine::loadCheckpoint(saved(), without.units(), m_mesh, {}, {}).report;
        QVERIFY(other.isExactMatch() && other.absentKinds.empty());
    }

    void whatIsNoCheckpointOfThisModelIsRefused_E124_E128()
    {
        SmallModel model(m_mesh);
        QVERIFY(refusal(newRun().root(), model).find("not a checkpoint") != std::string::npos);
        const std::string told = refusal(saved(), model, {{"model.width", "96"}});
        QVERIFY2(told.find("made with model.width = 64, but the experiment has 96") != std::string::npos, told.c_str());
    }
};

QTEST_APPLESS_MAIN(CheckpointLoaderTest)
#include "tst_checkpoint_loader.moc"
