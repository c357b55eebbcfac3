// Predictions of a sharded model outside the training loop: its weights are gathered as needed.
#include <ATen/ATen.h>

#include "engine/models/dit/dit.h"
#include "engine/tasks/sample_writer.h"
#include "engine/tasks/validation.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

#include <cstdio>

using engine::Exchange;
using tests::kCpu;

namespace {

const engine::DitConfig kConfig {.width = 32, .depth = 2, .heads = 4};
constexpr std::uint64_t kSeed = 3;

/// A sharded model with random weights everywhere, even in the last layer, which training initialises with zeros.
struct ShardedModel {
    explicit ShardedModel(engine::Group& group)
        : pool(group, kCpu)
        , model(kConfig)
        , units(drawn(model.units()), group, pool, {}, {}, kSeed)
    {
    }
    static std::vector<engine::UnitSpec> drawn(std::vector<engine::UnitSpec> specs)
    {
        for (engine::UnitSpec& unit : specs) {
            for (engine::ParameterSpec& parameter : unit.parameters)
                parameter.initStd = 0.1;
        }
        return specs;
    }
    at::Tensor samples(engine::Group& group, const std::vector<std::int64_t>& labels, std::uint64_t seed = kSeed)
    {
        return engine::drawSamples(model, units, engine::Weights::Ema, group, labels, {1, 8, 8}, {.steps = 3, .guidanceScale = 2},
            seed, "samples", kCpu);
    }
    double loss(engine::Group& group)
    {
        at::manual_seed(1);
        const engine::LabelledImages data {at::randn({37, 1, 8, 8}), at::arange(37, at::kLong) % 10, 10};
        return engine::validationLoss(model, units, engine::Weights::Master, group, data, kSeed, kCpu).value();
    }
    engine::BufferPool pool;
    engine::Dit model;
    engine::UnitSequence units;
};

bool areClose(const char* what, const at::Tensor& got, const at::Tensor& wanted)
{
    const double error = ((got - wanted).abs().max() / wanted.abs().max()).item<double>();
    if (!(error < 1e-4))
        std::fprintf(stderr, "%s: off by %g\n", what, error);
    return error < 1e-4;
}

}  // namespace

class ShardedModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryGathersForItself_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isShared");
        QTest::newRow("E-037 2 ranks, shared memory") << 2 << true;
        QTest::newRow("E-037 3 ranks, Gloo") << 3 << false;
    }
    void everyEntryGathersForItself()
    {
        QFETCH(int, ranks);
        QFETCH(bool, isShared);
        const auto body = [](engine::Mesh& mesh) {
            engine::LoneGroup lone;
            ShardedModel whole(lone), sharded(mesh.shard());
            const auto labels = engine::repeatedLabels(10, 1);
            const bool isRight = areClose("samples", sharded.samples(mesh.data(), labels), whole.samples(lone, labels));
            return isRight & areClose("loss", at::scalar_tensor(sharded.loss(mesh.data())), at::scalar_tensor(whole.loss(lone)));
        };
        QCOMPARE(tests::runRanks({.world = ranks, .shard = ranks}, isShared ? Exchange::SharedMemory : Exchange::Gloo, body),
            std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void aSampleDependsOnItsNumberAndTheSeed_data()
    {
        QTest::addColumn<int>("others");
        QTest::newRow("E-202 alone") << 0;
        QTest::newRow("E-202 among 70, in two chunks") << 69;
    }
    void aSampleDependsOnItsNumberAndTheSeed()
    {
        QFETCH(int, others);
        engine::LoneGroup lone;
        ShardedModel model(lone);
        std::vector<std::int64_t> labels(static_cast<std::size_t>(others) + 1, 4);
        const at::Tensor few = model.samples(lone, {4, 4}), many = model.samples(lone, labels);
        QVERIFY(areClose("the first", many[0], few[0]));
        if (others > 0)
            QVERIFY(areClose("the second", many[1], few[1]));
        const auto differ = [](const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>() > 0.1; };
        for (std::int64_t i = 1; i < many.size(0); ++i)
            QVERIFY(differ(many[i], many[0]));
        QVERIFY(differ(few[0], few[1]));
        QVERIFY(differ(model.samples(lone, {4}, kSeed + 1)[0], few[0]));
    }
};

QTEST_GUILESS_MAIN(ShardedModelTest)
#include "tst_sharded_model.moc"
