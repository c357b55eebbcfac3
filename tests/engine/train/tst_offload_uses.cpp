// Which shards leave the device while nothing uses them.
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "tests/engine/cpu.h"
#include "tests/engine/shard/late_device.h"
#include "tests/engine/train/offloaded_model.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

using engine::Offload;
using tests::areEqual;
using tests::OffloadedModel;
using tests::kCpu;
using tests::kOffloadSteps;

namespace {

/// An accelerator that only notes what it is asked for.
struct Recorder : engine::Accelerator {
    void setDevice(int) override { }
    c10::intrusive_ptr<c10d::Backend> makeNccl(
        const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::milliseconds) override { return {}; }
    void synchronize() override { calls.append(QStringLiteral("synchronize")); }
    void emptyCache() override { calls.append(QStringLiteral("emptyCache")); }
    Memory memory() override { return {}; }
    DriverMemory driverMemory() override { return {}; }
    engine::cuda::Launcher& kernels() override { throw std::logic_error("no kernels"); }
    std::string deviceName() const override { return {}; }
    std::string ncclVersion() const override { return {}; }
    QStringList calls;
};

const QStringList kGivenBack = {QStringLiteral("synchronize"), QStringLiteral("emptyCache")};

}  // namespace

class OffloadUsesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsIdleLeavesTheDevice_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::addColumn<QString>("inTraining");
        QTest::addColumn<QString>("inEvaluation");
        QTest::addColumn<QString>("idle");
        const char* const all = "device device device";
        QTest::newRow("E-060 E-062 nothing moves") << "none" << all << all << all;
        QTest::newRow("E-051 E-054 E-061 the optimizer alone") << "optimizer" << all << "device device host" << "device device host";
        QTest::newRow("E-058 E-060 E-061 E-062 E-063 all") << "idle" << all << "device host host" << "host host host";
    }
    void whatIsIdleLeavesTheDevice()
    {
        QFETCH(QString, offload);
        QFETCH(QString, inTraining);
        QFETCH(QString, inEvaluation);
        QFETCH(QString, idle);
        engine::LoneGroup lone;
        OffloadedModel moving(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        OffloadedModel resting(lone, tests::lateDevice(), nullptr, nullptr, {});
        const auto places = [&](Offload::Use use) {
            moving.offload().setUse(use);
            return moving.offload().use() == use ? QString::fromStdString(moving.places()) : QStringLiteral("another use");
        };
        for (int i = 0; i < kOffloadSteps; ++i) {
            QCOMPARE(places(Offload::Use::Training), inTraining);
            moving.step(i);
            resting.step(i);
            QCOMPARE(places(Offload::Use::Evaluation), inEvaluation);
            QVERIFY(areEqual(moving.gathered(engine::Weights::Ema), resting.gathered(engine::Weights::Ema), 0));
            QCOMPARE(places(Offload::Use::None), idle);
            QCOMPARE(places(Offload::Use::Evaluation), inEvaluation);
            QVERIFY(areEqual(moving.gathered(engine::Weights::Master), resting.gathered(engine::Weights::Master), 0));
            QCOMPARE(places(Offload::Use::None), idle);
        }
        QVERIFY(areEqual(moving.states(), resting.states(), 0));
    }

    void gradientsEndWithTraining_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-061 nothing moves") << "none";
        QTest::newRow("E-061 all") << "idle";
    }
    // Whatever ended it: here no update has taken the gradients of the first pass.
    void gradientsEndWithTraining()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        OffloadedModel fresh(lone, tests::lateDevice(), nullptr, nullptr, {});
        const auto gradients = [](OffloadedModel& of) {
            std::vector<at::Tensor> all;
            for (std::size_t i = 0; i < of.units().size(); ++i)
                all.push_back(of.units()[i].gradShard.cpu().clone());
            return all;
        };
        model.offload().setUse(Offload::Use::Training);
        model.pass(1);
        model.offload().setUse(Offload::Use::Evaluation);
        model.offload().setUse(Offload::Use::Training);
        model.pass(2);
        fresh.pass(2);
        QVERIFY(areEqual(gradients(model), gradients(fresh), 0));
    }

    void whatStaysInUseStaysWhereItIs_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-064 the optimizer") << "optimizer";
        QTest::newRow("E-064 all") << "idle";
    }
    void whatStaysInUseStaysWhereItIs()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        for (const auto use : {Offload::Use::Evaluation, Offload::Use::Training}) {
            model.offload().setUse(use);
            const engine::Unit& unit = model.units()[1];
            const void* const places[] = {unit.master.data_ptr(), unit.gradShard.data_ptr(), unit.optimizerStates[0].values.data_ptr()};
            model.offload().setUse(use);
            QVERIFY(unit.master.data_ptr() == places[0] && unit.gradShard.data_ptr() == places[1]
                && unit.optimizerStates[0].values.data_ptr() == places[2]);
        }
    }

    void everyStateOfTheOptimizerMoves_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const char* optimizer : {"adamw", "adamw8bit", "muon"})
            QTest::addRow("E-053 %s", optimizer) << optimizer;
    }
    void everyStateOfTheOptimizerMoves()
    {
        QFETCH(QString, optimizer);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.optimizer = optimizer.toStdString(), .offload = "optimizer"});
        OffloadedModel resting(lone, tests::lateDevice(), nullptr, nullptr, {.optimizer = optimizer.toStdString()});
        for (int i = 0; i < kOffloadSteps; ++i) {
            model.offload().setUse(Offload::Use::Training);
            model.step(i);
            resting.step(i);
            model.offload().setUse(Offload::Use::Evaluation);
            for (std::size_t unit = 0; unit < model.units().size(); ++unit) {
                for (const engine::ShardState& state : model.units()[unit].optimizerStates)
                    QVERIFY2(state.values.is_cpu(), state.name.c_str());
            }
        }
        QVERIFY(areEqual(model.states(), resting.states(), 0));
    }

    void memoryIsGivenBackWhenTheCopiesAreDone_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::addColumn<QStringList>("calls");
        QTest::newRow("the optimizer leaves") << "optimizer" << kGivenBack;
        QTest::newRow("nothing leaves") << "none" << QStringList();
    }
    void memoryIsGivenBackWhenTheCopiesAreDone()
    {
        QFETCH(QString, offload);
        Recorder recorder;
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()}, &recorder);
        model.offload().setUse(Offload::Use::Evaluation);
        QTEST(recorder.calls, "calls");
        model.offload().setUse(Offload::Use::Training);
        QTEST(recorder.calls, "calls");  // nothing is given back on the way to the device
    }

    void copiesToTheHostAreCompleteWhenTheyAreRead_data()
    {
        QTest::addColumn<QString>("optimizer");
        for (const char* optimizer : {"adamw", "adamw8bit", "muon"})
            QTest::addRow("%s", optimizer) << optimizer;
    }
    /// The copies to the host happen when somebody waits for their stream, and not before.
    void copiesToTheHostAreCompleteWhenTheyAreRead()
    {
        QFETCH(QString, optimizer);
        const engine::CopyStream copies(tests::lateDevice());
        struct Waiting final : Recorder {
            explicit Waiting(const engine::CopyStream& ofMoves) : stream(ofMoves) { }
            void synchronize() override { engine::CopyStream::Mark(stream).hostWaits(); }
            const engine::CopyStream& stream;
        } waiting(copies);
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr,
            {.optimizer = optimizer.toStdString(), .offload = "idle"}, &waiting);
        model.step(0);
        const auto before = model.states();
        const engine::CopyStream::Scope scope(copies);
        model.offload().setUse(Offload::Use::None);
        QCOMPARE(model.places(), std::string("host host host"));
        QVERIFY(areEqual(model.states(), before, 0));
    }

    void checkpointsHoldTheStatesOfTheirMoment_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("defect-35: nothing moves") << "none";
        QTest::newRow("defect-35: the optimizer") << "optimizer";
        QTest::newRow("defect-35: all") << "idle";
    }
    /// Before and after the shards have moved, and while they are on the host.
    void checkpointsHoldTheStatesOfTheirMoment()
    {
        QFETCH(QString, offload);
        const QTemporaryDir folder;
        const contract::RunFolder run(folder.path().toStdString());
        std::filesystem::create_directories(run.checkpoints());
        engine::Mesh mesh({.world = 1, .shard = 1}, std::make_unique<engine::LoneGroup>());
        engine::LoneGroup lone;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()});
        engine::CheckpointWriter writer(run, model.units(), mesh, engine::Contents::All, {});
        const Offload::Use uses[] = {Offload::Use::Training, Offload::Use::Evaluation, Offload::Use::Training, Offload::Use::None};
        for (int step = 0; step < 4; ++step) {
            model.offload().setUse(Offload::Use::Training);
            model.step(step);
            model.offload().setUse(uses[step]);
            contract::CheckpointManifest manifest;
            manifest.run = "run";
            manifest.model = "small";
            manifest.step = step + 1;
            writer.save(manifest);
            for (const engine::SaveResult& result : writer.finish())
                QCOMPARE(result.problem, std::string());
            OffloadedModel loaded(lone, kCpu, nullptr, nullptr, {});
            engine::loadCheckpoint(run.checkpoint(step + 1), loaded.units(), mesh, {}, {});
            QVERIFY2(areEqual(loaded.states(), model.states(), 0), qPrintable(QStringLiteral("step %1").arg(step + 1)));
        }
    }

    void partsAreMovedByHand_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-051 whatever the option says") << "none";
        QTest::newRow("E-051 the optimizer alone is no error") << "optimizer";
    }
    void partsAreMovedByHand()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        Recorder recorder;
        OffloadedModel model(lone, tests::lateDevice(), nullptr, nullptr, {.offload = offload.toStdString()}, &recorder);
        model.step(0);
        const auto before = model.states();
        const auto to = [&](c10::Device device, engine::ShardParts parts) {
            recorder.calls.clear();
            model.offload().to(device, parts);
            const bool isRight = recorder.calls == (device == kCpu ? kGivenBack : QStringList());
            return isRight ? QString::fromStdString(model.places()) : "called: " + recorder.calls.join(' ');
        };
        QCOMPARE(to(kCpu, {.weights = false, .gradients = false, .optimizer = true}), QStringLiteral("device device host"));
        QCOMPARE(to(kCpu, {.weights = true, .gradients = false, .optimizer = false}), QStringLiteral("host device host"));
        QCOMPARE(to(kCpu, {}), QStringLiteral("host host host"));
        QVERIFY(areEqual(model.states(), before, 0));
        QCOMPARE(to(tests::lateDevice(), {.weights = true, .gradients = true, .optimizer = false}), QStringLiteral("device device host"));
        QCOMPARE(to(tests::lateDevice(), {}), QStringLiteral("device device device"));
        QVERIFY(areEqual(model.states(), before, 0));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, model.offload().to(c10::Device(c10::DeviceType::Meta), {}));
    }
};

QTEST_GUILESS_MAIN(OffloadUsesTest)
#include "tst_offload_uses.moc"
