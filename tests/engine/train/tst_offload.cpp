// Shards on the host, and what leaves the device while nothing uses it.
#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/train/optimizer.h"
#include "engine/train/residency.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/shard/late_device.h"

#include <QtTest>

#include <cstdio>

using engine::CopyStream;
using engine::Residency;
using engine::UnitSequence;

namespace {

const c10::Device kCpu(c10::DeviceType::CPU);
constexpr int kSteps = 4, kBlocks = 4;

struct Setting {
    at::ScalarType computeDtype = at::kFloat;
    int accumulation = 1;
    bool reducesEachPass = true, reshards = true, prefetches = true;
    std::string optimizer = "adamw";
};

contract::Experiment experimentOf(const std::string& optimizer, const std::string& offload = "none")
{
    contract::Experiment experiment;
    experiment.set("optim.kind", optimizer);
    experiment.set("engine.offload", offload);
    return experiment;
}

std::vector<engine::UnitSpec> specs()
{
    std::vector<engine::UnitSpec> all;
    for (int i = 0; i <= kBlocks; ++i) {
        const std::string name = i == 0 ? "root" : "blocks." + std::to_string(i - 1);
        all.push_back({name, {{name + ".weight", {48, 100}, 0.2, true}, {name + ".bias", {50}, 0.2, false}}});
    }
    return all;
}

/// A model whose gradients follow from its gathered weights alone: what is not where it should be in time shows.
class Model {
public:
    Model(engine::Group& group, c10::Device device, engine::Group* replicas, const CopyStream* copies,
        const Setting& setting, const std::string& offload = "none", engine::Accelerator* accelerator = nullptr)
        : m_setting(setting)
        , m_pool(group, device)
        , m_units(specs(), group, m_pool,
              {.computeDtype = setting.computeDtype,
                  .stateBlock = engine::stateBlockOf(experimentOf(setting.optimizer)),
                  .replicas = replicas,
                  .copies = copies},
              {.reshardAfterForward = setting.reshards, .prefetch = setting.prefetches,
                  .reducesEachPass = setting.reducesEachPass},
              11)
        , m_optimizer(engine::makeOptimizer(experimentOf(setting.optimizer), m_units, group))
        , m_residency(m_units, accelerator, experimentOf(setting.optimizer, offload))
    {
    }

    void step(int number)
    {
        m_units.zeroGrad();
        for (int micro = 0; micro < m_setting.accumulation; ++micro) {
            m_units.setLastBackward(micro + 1 == m_setting.accumulation);
            pass(number * 10 + micro);
        }
        const engine::OptimizerStep step {.lr = 0.01, .gradScale = 0.5, .emaDecay = 0.9, .count = number + 1};
        m_optimizer->prepare(step);
        for (std::size_t i = 0; i < m_units.size(); ++i) {
            m_optimizer->update(i, step);
            m_units.weightsChanged(i);
        }
    }

    /// All that a checkpoint would hold, on the CPU.
    std::vector<at::Tensor> states()
    {
        std::vector<at::Tensor> all;
        for (std::size_t i = 0; i < m_units.size(); ++i) {
            for (const engine::ShardState& state : m_units[i].storedStates())
                all.push_back(state.values.cpu().clone());
        }
        return all;
    }

    /// The gathered weights, averaged ones too.
    std::vector<at::Tensor> gathered(engine::Weights weights)
    {
        const UnitSequence::EvaluationScope scope(m_units, weights);
        std::vector<at::Tensor> all;
        m_units.begin();
        for (std::size_t i = 1; i < m_units.size(); ++i)
            m_units.enter(i);
        for (std::size_t i = 0; i < m_units.size(); ++i)
            all.push_back(m_units[i].parameter(0).value.cpu().clone());
        return all;
    }

    UnitSequence& units() { return m_units; }
    Residency& residency() { return m_residency; }

private:
    void pass(int salt)
    {
        m_units.begin();
        for (std::size_t i = 1; i < m_units.size(); ++i) {
            m_units.enter(i);
            m_units.exit(i, true);
        }
        m_units.beginBackward();
        for (std::size_t i = m_units.size(); i-- > 1;) {
            m_units.beginUnitBackward(i);
            writeGradients(m_units[i], salt);
            m_units.endUnitBackward(i);
        }
        writeGradients(m_units[0], salt);
        m_units.endBackward();
    }
    static void writeGradients(engine::Unit& unit, int salt)
    {
        for (std::size_t i = 0; i < 2; ++i) {
            engine::Parameter& parameter = unit.parameter(i);
            parameter.grad.copy_((parameter.value.cpu().to(at::kFloat) * 7 + salt).sin());
            parameter.isGradWritten = true;
        }
    }

    Setting m_setting;
    engine::BufferPool m_pool;
    UnitSequence m_units;
    std::unique_ptr<engine::Optimizer> m_optimizer;
    Residency m_residency;
};

bool areEqual(const std::vector<at::Tensor>& some, const std::vector<at::Tensor>& others, double tolerance)
{
    if (some.size() != others.size())
        return false;
    for (std::size_t i = 0; i < some.size(); ++i) {
        const at::Tensor a = some[i].to(at::kDouble), b = others[i].to(at::kDouble);
        if (tolerance == 0 ? !at::equal(a, b) : !at::allclose(a, b, tolerance, tolerance)) {
            std::fprintf(stderr, "tensor %zu is off by %g\n", i, (a - b).abs().max().item<double>());
            return false;
        }
    }
    return true;
}

/// Trains with shards here and there, side by side.
bool trainsAsWithout(engine::Group& group, engine::Group* replicas, c10::Device device, const Setting& setting, double tolerance)
{
    const CopyStream copies(device);
    Model plain(group, kCpu, replicas, nullptr, setting), onHost(group, device, replicas, &copies, setting);
    for (int i = 0; i < kSteps; ++i) {
        plain.step(i);
        onHost.step(i);
    }
    for (std::size_t i = 0; i < onHost.units().size(); ++i) {
        for (const engine::ShardState& state : onHost.units()[i].storedStates()) {
            if (!state.values.is_cpu())
                return false;
        }
    }
    return areEqual(onHost.states(), plain.states(), tolerance)
        && areEqual(onHost.gathered(engine::Weights::Master), plain.gathered(engine::Weights::Master), tolerance)
        && areEqual(onHost.gathered(engine::Weights::Ema), plain.gathered(engine::Weights::Ema), tolerance);
}

/// Where master, gradients and the optimizer's states lie.
std::string placesOf(UnitSequence& units)
{
    const auto place = [](const at::Tensor& tensor) { return tensor.is_cpu() ? "host" : "device"; };
    const engine::Unit& unit = units[1];
    if (unit.ema.device() != unit.master.device())
        return "weights here and there";
    return std::string(place(unit.master)) + " " + place(unit.gradShard) + " " + place(unit.optimizerStates[0].values);
}

}  // namespace

class OffloadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shardsOnTheHostTrainToTheSameNumbers_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("shard");
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<bool>("reducesEachPass");
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("E-043 E-046 2 ranks") << 2 << 2 << false << 1 << true << "adamw";
        QTest::newRow("E-043 2 ranks, bf16, accumulation") << 2 << 2 << true << 3 << true << "adamw";
        QTest::newRow("E-043 2 ranks, one reduction a step") << 2 << 2 << true << 2 << false << "adamw";
        QTest::newRow("E-043 3 ranks, 8-bit states") << 3 << 3 << true << 1 << true << "adamw8bit";
        QTest::newRow("E-043 2 ranks, Muon") << 2 << 2 << false << 1 << true << "muon";
        QTest::newRow("E-043 E-020 4 ranks, 2 replicas, accumulation") << 4 << 2 << true << 2 << true << "adamw";
    }
    void shardsOnTheHostTrainToTheSameNumbers()
    {
        QFETCH(int, ranks);
        QFETCH(int, shard);
        QFETCH(bool, isBf16);
        QFETCH(int, accumulation);
        QFETCH(bool, reducesEachPass);
        QFETCH(QString, optimizer);
        const Setting setting {.computeDtype = isBf16 ? at::kBFloat16 : at::kFloat, .accumulation = accumulation,
            .reducesEachPass = reducesEachPass, .optimizer = optimizer.toStdString()};
        const auto codes = tests::runRanks({.world = ranks, .shard = shard}, engine::Exchange::Gloo, [&](engine::Mesh& mesh) {
            // Replicas add up each pass on the device: another order of the same sums.
            const bool isSameOrder = ranks == shard;
            return trainsAsWithout(mesh.shard(), isSameOrder ? nullptr : &mesh.replicate(), kCpu, setting, isSameOrder ? 0 : 1e-5);
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void lateCopiesAreWaitedFor_data()
    {
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<bool>("reshards");
        QTest::addColumn<bool>("prefetches");
        QTest::newRow("E-052 fp32") << false << 1 << true << true;
        QTest::newRow("E-052 bf16") << true << 1 << true << true;
        QTest::newRow("E-052 bf16, accumulation") << true << 3 << true << true;
        QTest::newRow("E-052 bf16, kept gathered") << true << 2 << false << true;
        QTest::newRow("E-052 bf16, no prefetch") << true << 2 << true << false;
    }
    void lateCopiesAreWaitedFor()
    {
        QFETCH(bool, isBf16);
        QFETCH(int, accumulation);
        QFETCH(bool, reshards);
        QFETCH(bool, prefetches);
        engine::LoneGroup lone;
        QVERIFY(trainsAsWithout(lone, nullptr, tests::lateDevice(),
            {.computeDtype = isBf16 ? at::kBFloat16 : at::kFloat, .accumulation = accumulation, .reshards = reshards,
                .prefetches = prefetches},
            0));
    }

    void whatIsIdleLeavesTheDevice_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::addColumn<QString>("inTraining");
        QTest::addColumn<QString>("inEvaluation");
        QTest::addColumn<QString>("idle");
        const char* const all = "device device device";
        QTest::newRow("E-060 E-062 nothing") << "none" << all << all << all;
        QTest::newRow("E-051 E-054 E-061 the optimizer alone") << "optimizer" << all << "device device host" << "device device host";
        QTest::newRow("E-058 E-061 E-063 all") << "idle" << all << "device host host" << "host host host";
    }
    void whatIsIdleLeavesTheDevice()
    {
        QFETCH(QString, offload);
        QFETCH(QString, inTraining);
        QFETCH(QString, inEvaluation);
        QFETCH(QString, idle);
        engine::LoneGroup lone;
        Model moving(lone, tests::lateDevice(), nullptr, nullptr, {}, offload.toStdString());
        Model resting(lone, tests::lateDevice(), nullptr, nullptr, {});
        const auto places = [&](Residency::Use use) {
            moving.residency().setUse(use);
            return QString::fromStdString(placesOf(moving.units()));
        };
        for (int i = 0; i < kSteps; ++i) {
            QCOMPARE(places(Residency::Use::Training), inTraining);
            moving.step(i);
            resting.step(i);
            QCOMPARE(places(Residency::Use::Evaluation), inEvaluation);
            QVERIFY(areEqual(moving.gathered(engine::Weights::Ema), resting.gathered(engine::Weights::Ema), 0));
            QCOMPARE(places(Residency::Use::Nothing), idle);
        }
        QVERIFY(areEqual(moving.states(), resting.states(), 0));
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
        Model model(lone, tests::lateDevice(), nullptr, nullptr, {}, offload.toStdString());
        for (const auto use : {Residency::Use::Evaluation, Residency::Use::Training}) {
            model.residency().setUse(use);
            const engine::Unit& unit = model.units()[1];
            const void* const places[] = {unit.master.data_ptr(), unit.gradShard.data_ptr(), unit.optimizerStates[0].values.data_ptr()};
            model.residency().setUse(use);
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
        Model model(lone, tests::lateDevice(), nullptr, nullptr, {.optimizer = optimizer.toStdString()}, "optimizer");
        Model resting(lone, tests::lateDevice(), nullptr, nullptr, {.optimizer = optimizer.toStdString()});
        for (int i = 0; i < kSteps; ++i) {
            model.residency().setUse(Residency::Use::Training);
            model.step(i);
            resting.step(i);
            model.residency().setUse(Residency::Use::Evaluation);
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
        const QStringList given = {QStringLiteral("synchronize"), QStringLiteral("emptyCache")};
        QTest::newRow("E-057 E-205 the optimizer leaves") << "optimizer" << given;
        QTest::newRow("E-057 E-205 nothing leaves") << "none" << QStringList();
    }
    void memoryIsGivenBackWhenTheCopiesAreDone()
    {
        QFETCH(QString, offload);
        struct Recorder final : engine::Accelerator {
            void setDevice(int) override { }
            c10::intrusive_ptr<c10d::Backend> makeNccl(
                const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::milliseconds) override { return {}; }
            void synchronize() override { calls.append(QStringLiteral("synchronize")); }
            void emptyCache() override { calls.append(QStringLiteral("emptyCache")); }
            Memory memory() override { return {}; }
            std::string deviceName() const override { return {}; }
            std::string ncclVersion() const override { return {}; }
            QStringList calls;
        } recorder;
        engine::LoneGroup lone;
        Model model(lone, tests::lateDevice(), nullptr, nullptr, {}, offload.toStdString(), &recorder);
        model.residency().setUse(Residency::Use::Evaluation);
        QTEST(recorder.calls, "calls");
        model.residency().setUse(Residency::Use::Training);
        QTEST(recorder.calls, "calls");  // nothing is given back on the way to the device
    }

    void partsAreMovedByHand_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-051 E-055 E-056 whatever the option says") << "none";
        QTest::newRow("E-051 the optimizer alone is no error") << "optimizer";
    }
    void partsAreMovedByHand()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        Model model(lone, tests::lateDevice(), nullptr, nullptr, {}, offload.toStdString());
        model.step(0);
        const auto before = model.states();
        const auto to = [&](c10::Device device, engine::ShardParts parts) {
            model.residency().to(device, parts);
            return QString::fromStdString(placesOf(model.units()));
        };
        QCOMPARE(to(kCpu, {.weights = false, .gradients = false, .optimizer = true}), QStringLiteral("device device host"));
        QCOMPARE(to(kCpu, {.weights = true, .gradients = false, .optimizer = false}), QStringLiteral("host device host"));
        QCOMPARE(to(kCpu, {}), QStringLiteral("host host host"));
        QVERIFY(areEqual(model.states(), before, 0));
        QCOMPARE(to(tests::lateDevice(), {.weights = true, .gradients = true, .optimizer = false}), QStringLiteral("device device host"));
        QCOMPARE(to(tests::lateDevice(), {}), QStringLiteral("device device device"));
        QVERIFY(areEqual(model.states(), before, 0));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, model.residency().to(c10::Device(c10::DeviceType::Meta), {}));
    }

    void shardsOnTheHostAreNotMovedByHand_data()
    {
        QTest::addColumn<QString>("offload");
        QTest::newRow("E-002 E-043") << "idle";
    }
    void shardsOnTheHostAreNotMovedByHand()
    {
        QFETCH(QString, offload);
        engine::LoneGroup lone;
        const CopyStream copies(tests::lateDevice());
        Model model(lone, tests::lateDevice(), nullptr, &copies, {}, offload.toStdString());
        for (const auto use : {Residency::Use::Nothing, Residency::Use::Training}) {
            model.residency().setUse(use);
            QCOMPARE(placesOf(model.units()), std::string("host host host"));
        }
        model.step(0);
    }
};

QTEST_GUILESS_MAIN(OffloadTest)
#include "tst_offload.moc"
