// One unit on its own: where its memory is, and what becomes of its gradients.
#include <ATen/ATen.h>

#include "engine/shard/unit.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"
#include "tests/engine/shard/late_device.h"

#include <QtTest>

#include <sys/resource.h>

#include <cstdio>

using engine::Exchange;
using engine::Reduction;
using engine::Unit;
using tests::kCpu;
using tests::require;

namespace {

engine::UnitSpec spec(std::int64_t rows)
{
    return {"blocks.0", {{"blocks.0.weight", {rows, 64}, 0.02, true}, {"blocks.0.bias", {rows}, 0.02, false}}};
}

struct Single {
    explicit Single(engine::Group& group, engine::UnitOptions options = {}, std::int64_t rows = 100)
        : pool(group, kCpu)
        , unit(spec(rows), group, pool, options, 7)
    {
    }
    /// One backward in which every gradient is @p value.
    void backward(double value, Reduction reduction = Reduction::All)
    {
        unit.beginBackward();
        for (const std::size_t i : {0U, 1U}) {
            unit.parameter(i).grad.fill_(value);
            unit.parameter(i).isGradWritten = true;
        }
        unit.startReduce(reduction);
        unit.finishReduce();
        unit.finishGradients();
    }
    /// Whether all of this rank's gradients are @p value.
    bool hasGradient(double value)
    {
        for (const engine::LayoutPiece& piece : unit.pieces()) {
            if (!unit.gradShard.narrow(0, piece.shardBegin, piece.count).eq(value).all().item<bool>()) {
                std::fprintf(stderr, "a gradient is not %g\n", value);
                return false;
            }
        }
        return true;
    }
    engine::BufferPool pool;
    Unit unit;
};

std::int64_t peakBytes()
{
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

}  // namespace

class UnitTest : public QObject {
    Q_OBJECT

    /// @param numbers of requirements, each with a space after it
    static void addRanks(const char* numbers = "")
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isShared");
        QTest::addRow("%s1 rank", numbers) << 1 << true;
        QTest::addRow("%s2 ranks, shared memory", numbers) << 2 << true;
        QTest::addRow("%s3 ranks, Gloo", numbers) << 3 << false;
    }
    template <typename Body>
    static void run(int shard, Body body)
    {
        QFETCH(int, ranks);
        QFETCH(bool, isShared);
        QCOMPARE(tests::runRanks({.world = ranks, .shard = shard == 0 ? ranks : shard},
                     isShared ? Exchange::SharedMemory : Exchange::Gloo, body),
            std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

private Q_SLOTS:
    void parametersHaveMemoryWhileTheyAreGathered_data() { addRanks(); }
    void parametersHaveMemoryWhileTheyAreGathered()
    {
        run(0, [](engine::Mesh& mesh) {
            Single model(mesh.shard());
            const at::Tensor weight = model.unit.parameter(0).value;  // one tensor for the unit's whole life
            const auto hasMemory = [&] { return weight.storage().data() != nullptr; };
            bool isRight = require(!hasMemory() && weight.sizes() == at::IntArrayRef({100, 64}), "a shape without memory at first");
            model.unit.finishGather();
            isRight &= require(hasMemory() && weight.std().item<double>() > 0.015, "the drawn weights when gathered");
            model.unit.reshard();
            return isRight & require(!hasMemory(), "none afterwards");
        });
    }

    void weightsThatWillBeLoadedHaveMemoryOnTheDevice_E038()
    {
        engine::LoneGroup lone;
        engine::BufferPool pool(lone, tests::lateDevice());
        Unit unit(spec(100), lone, pool, {}, std::nullopt);
        for (const at::Tensor& shard : {unit.master, unit.ema}) {
            QVERIFY(shard.device() == tests::lateDevice() && shard.storage().data() != nullptr);
            QCOMPARE(static_cast<std::int64_t>(shard.storage().nbytes()), unit.layout().shardLength * 4);
        }
        const at::Tensor loaded = at::randn({100, 64});
        unit.setMaster(0, loaded);
        unit.finishGather();
        QVERIFY(unit.parameter(0).value.device() == tests::lateDevice());
        QVERIFY(at::equal(unit.parameter(0).value.cpu(), loaded));
    }

    void whatIsDoneIsNotDoneAgain_data() { addRanks(); }
    void whatIsDoneIsNotDoneAgain()
    {
        run(0, [](engine::Mesh& mesh) {
            Single model(mesh.shard());
            model.unit.reshard();
            model.unit.startGather(engine::Weights::Master);
            model.unit.startGather(engine::Weights::Master);
            model.unit.finishGather();
            const void* const memory = model.unit.parameter(0).value.data_ptr();
            const std::int64_t allocated = model.pool.allocatedBytes();
            model.unit.finishGather();
            model.unit.startGather(engine::Weights::Master);
            const bool isSame = require(model.unit.parameter(0).value.data_ptr() == memory, "the same memory")
                && require(model.unit.state() == Unit::State::Gathered, "still gathered");
            model.unit.reshard();
            model.unit.reshard();
            model.unit.finishGather();
            return isSame & require(model.pool.allocatedBytes() == allocated, "one buffer, given back once");
        });
    }

    void whatDoesNotTrainLiesOnceOnARankAlone_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("1 rank") << 1;
        QTest::newRow("2 ranks") << 2;
    }
    void whatDoesNotTrainLiesOnceOnARankAlone()
    {
        QFETCH(int, ranks);
        const auto body = [](engine::Mesh& mesh) {
            engine::UnitSpec frozen = spec(100);
            for (auto& parameter : frozen.parameters)
                parameter.isTrained = false;
            engine::BufferPool pool(mesh.shard(), kCpu);
            Unit unit(frozen, mesh.shard(), pool, {.computeDtype = at::kBFloat16, .keepsAverage = false, .storesFrozen = false}, 7);
            unit.finishGather();
            const at::Tensor weight = unit.parameter(0).value, copy = weight.clone();
            const bool isAlone = mesh.shard().size() == 1;
            bool isRight = require((pool.allocatedBytes() == 0) == isAlone, "no other memory than the shard's for a rank alone");
            isRight &= require(copy.to(at::kFloat).std().item<double>() > 0.015, "the drawn weights");
            unit.reshard();
            isRight &= require(weight.storage().data() == nullptr, "none when it is not gathered");
            unit.setMaster(1, at::full({100}, 3.0));  // of a load
            unit.finishGather();
            isRight &= require(at::equal(weight, copy) && unit.parameter(1).value.eq(3).all().item<bool>(), "the weights, and what was loaded");
            return isRight;
        };
        QCOMPARE(tests::runRanks({.world = ranks, .shard = ranks}, Exchange::SharedMemory, body), std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void gradientsAreSumsUntilTheyAreDropped_data() { addRanks("E-171 E-190 "); }
    void gradientsAreSumsUntilTheyAreDropped()
    {
        run(0, [](engine::Mesh& mesh) {
            Single model(mesh.shard());
            const double own = mesh.shard().rank() + 1, sum = mesh.shard().size() * (mesh.shard().size() + 1) / 2.0;
            model.backward(own);
            bool isRight = model.hasGradient(sum);  // nothing divides it
            model.backward(2 * own);
            isRight &= model.hasGradient(3 * sum);
            model.unit.zeroGrad();
            model.backward(5 * own);
            isRight &= model.hasGradient(5 * sum);
            model.backward(own, Reduction::None);  // dropped too where it has not been reduced yet
            model.unit.zeroGrad();
            model.backward(7 * own, Reduction::None);
            model.backward(own);
            return isRight & model.hasGradient(8 * sum);
        });
    }

    void parametersThatNothingUsesHaveGradientZero_data() { addRanks("E-171 "); }
    void parametersThatNothingUsesHaveGradientZero()
    {
        run(0, [](engine::Mesh& mesh) {
            Single model(mesh.shard());
            model.backward(3);  // what the buffers hold from now on
            model.unit.zeroGrad();
            model.unit.beginBackward();
            model.unit.startReduce(Reduction::All);
            model.unit.finishReduce();
            return model.hasGradient(0) & require(model.unit.gradShard.eq(0).all().item<bool>(), "padding too");
        });
    }

    void replicasAddUpTheirGradients_data() { addRanks("E-173 "); }
    void replicasAddUpTheirGradients()
    {
        run(1, [](engine::Mesh& mesh) {
            Single model(mesh.shard(), {.replicas = &mesh.replicate()});
            const int ranks = mesh.world().size();
            model.backward(mesh.world().rank() + 1);
            return model.hasGradient(ranks * (ranks + 1) / 2.0);
        });
    }

    void noRankDrawsMoreThanItsShard_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("isShared");
        QTest::newRow("E-041 4 ranks, shared memory") << 4 << true;
        QTest::newRow("E-041 4 ranks, Gloo") << 4 << false;
    }
    void noRankDrawsMoreThanItsShard()
    {
        run(0, [](engine::Mesh& mesh) {
            constexpr std::int64_t kRows = 400'000, kBytes = kRows * 65 * 4;
            const std::int64_t before = peakBytes();
            const Single model(mesh.shard(), {.keepsAverage = false}, kRows);
            const std::int64_t taken = peakBytes() - before;
            return require(model.unit.master.std().item<double>() > 0.015, "drawn")
                & require(taken < kBytes * 2 / 3, "master and gradient of a quarter of the model");
        });
    }

    void valuesBeginAroundTheirMean_data() { addRanks("E-041 "); }
    void valuesBeginAroundTheirMean()
    {
        run(0, [](engine::Mesh& mesh) {
            const engine::UnitSpec spec {"unit",
                {{.name = "norm.weight", .shape = {2048}, .initMean = 1}, {.name = "weight", .shape = {64, 64}, .initStd = 0.1, .initMean = 3},
                    {.name = "bias", .shape = {2048}}}};
            engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
            const engine::Unit unit(spec, mesh.shard(), pool, {}, 7);
            bool isRight = true;
            for (const engine::LayoutPiece& piece : unit.pieces()) {
                const at::Tensor values = unit.master.narrow(0, piece.shardBegin, piece.count);
                if (piece.tensor == 1)
                    isRight &= require((values - 3).abs().max().item<double>() < 0.6 && values.std().item<double>() > 0.07, "drawn around 3");
                else
                    isRight &= require(values.eq(piece.tensor == 0 ? 1 : 0).all().item<bool>(), "ones and zeros");
            }
            return isRight;
        });
    }
};

QTEST_GUILESS_MAIN(UnitTest)
#include "tst_unit.moc"
