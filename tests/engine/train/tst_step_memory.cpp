// From the third step on the engine allocates no memory, neither from LibTorch's allocator nor (through malloc) the system.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/models/dit/dit.h"
#include "engine/tasks/flow_steps.h"
#include "engine/train/trainer.h"
#include "tests/engine/comm/forked_ranks.h"

#include <c10/core/CPUAllocator.h>

#include <QtTest>

#include <malloc.h>

#include <cstdio>

namespace {

/// LibTorch's CPU allocator, with counters of the allocations and their bytes since forget().
class CountingAllocator final : public c10::Allocator {
public:
    CountingAllocator()
        : m_inner(c10::GetCPUAllocator())
    {
        constexpr std::uint8_t kAboveAll = 255;
        c10::SetCPUAllocator(this, kAboveAll);
    }
    c10::DataPtr allocate(std::size_t bytes) override
    {
        calls += bytes > 0 ? 1 : 0;  // views are made with nothing
        total += bytes;
        return m_inner->allocate(bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return m_inner->raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { m_inner->copy_data(to, from, bytes); }
    void forget() { calls = total = 0; }

    std::size_t calls = 0, total = 0;

private:
    c10::Allocator* m_inner;
};

/// Returns the memory that malloc has obtained from the system.
std::size_t systemBytes()
{
    const struct mallinfo2 heap = ::mallinfo2();
    return heap.arena + heap.hblkhd;
}

constexpr std::int64_t kWidth = 64;

/// A chain of units whose layers pass outputs and gradients through unchanged, so that only the engine itself is measured.
class Chain final : public engine::Model {
public:
    std::vector<engine::UnitSpec> units() const override
    {
        std::vector<engine::UnitSpec> specs;
        for (const char* name : {"root", "blocks.0", "blocks.1", "blocks.2", "blocks.3"})
            specs.push_back({name, {{std::string(name) + ".weight", {kWidth, kWidth}, 0.02, true}, {std::string(name) + ".bias", {kWidth}, 0, false}}});
        return specs;
    }
    engine::Var forward(engine::Tape& tape, const engine::ModelInput& input) const override
    {
        const auto apply = [&tape](engine::Unit& unit, engine::Var x) {
            const engine::Var out = tape.make(x->data.sizes(), at::kFloat);
            out->data.copy_(x->data);
            tape.record(out, [&tape, &unit, x] {
                for (const std::size_t parameter : {0, 1}) {
                    unit.parameter(parameter).grad.fill_(1);
                    unit.parameter(parameter).isGradWritten = true;
                }
                if (x->needsGrad)
                    tape.contribute(x).grad.zero_();
            });
            return out;
        };
        engine::Var x = apply(tape.root(), tape.input(input.latents));
        for (std::size_t i = 1; i < tape.unitCount(); ++i)
            x = tape.unit(i, {x}, [=](engine::Unit& unit, const auto& in) { return std::vector<engine::Var> {apply(unit, in[0])}; }).front();
        return x;
    }
    std::int64_t nullLabel() const override { return 0; }
    double forwardFlops(const engine::ModelInput&) const override { return 0; }
    std::map<std::string, std::string> shapeOptions() const override { return {}; }
};

class SameBatch final : public engine::BatchSource {
public:
    std::int64_t microBatch() const override { return 1; }
    engine::FlowBatch batch(const engine::BatchPosition&) override { return m_batch; }

private:
    engine::FlowBatch m_batch {at::zeros({1, kWidth}), at::ones({1, kWidth}), at::zeros({1}), at::zeros({1}, at::kLong)};
};

contract::Experiment experimentOf(const std::string& optimizer)
{
    contract::Experiment experiment;
    experiment.set("optim.kind", optimizer);
    return experiment;
}

}  // namespace

class StepMemoryTest : public QObject {
    Q_OBJECT

    static void run(int ranks, engine::Exchange exchange, const std::function<bool(engine::Mesh&)>& body)
    {
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, exchange, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            return body(mesh);
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

private Q_SLOTS:
    void theEngineAsksNobodyFromTheThirdStepOn_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<qint64>("accumulation");
        QTest::addColumn<bool>("recomputes");
        QTest::addColumn<bool>("reshards");
        QTest::newRow("1 rank") << 1 << "adamw" << qint64(1) << false << true;
        QTest::newRow("2 ranks") << 2 << "adamw" << qint64(1) << false << true;
        QTest::newRow("2 ranks, kept gathered") << 2 << "adamw" << qint64(1) << false << false;
        QTest::newRow("3 ranks, accumulated, recomputed") << 3 << "adamw" << qint64(2) << true << true;
        QTest::newRow("2 ranks, 8-bit") << 2 << "adamw8bit" << qint64(1) << false << true;
    }
    void theEngineAsksNobodyFromTheThirdStepOn()
    {
        QFETCH(int, ranks);
        QFETCH(QString, optimizer);
        QFETCH(qint64, accumulation);
        QFETCH(bool, recomputes);
        QFETCH(bool, reshards);
        run(ranks, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            static CountingAllocator allocator;
            const contract::Experiment experiment = experimentOf(optimizer.toStdString());
            const Chain model;
            engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
            engine::UnitSequence units(model.units(), mesh.shard(), pool, {.stateBlock = engine::stateBlockOf(experiment)},
                {.reshardAfterForward = reshards,
                    .recompute = *contract::UnitSelection::parse(recomputes ? "all" : "none")}, 0);
            SameBatch batches;
            engine::FlowSteps steps(model, batches, accumulation, mesh.data(), pool.device());
            engine::Trainer trainer(experiment, units, mesh, pool.device());
            std::size_t atThird = 0;
            for (int step = 1; step <= 10; ++step) {
                trainer.step(steps, steps.loss(), {});
                if (step == 3) {
                    allocator.forget();
                    atThird = systemBytes();
                }
            }
            if (allocator.calls > 0 || systemBytes() > atThird)
                std::fprintf(stderr, "rank %d: %zu requests, %zu bytes; %zu bytes of the system, %zu after step 3\n", mesh.world().rank(),
                    allocator.calls, allocator.total, systemBytes(), atThird);
            return allocator.calls == 0 && systemBytes() <= atThird;
        });
    }

    /// LibTorch's matrix products and the random data need temporary memory: equally much in each step, so malloc can reuse it.
    void aTransformersStepAsksForTheSameEachTime()
    {
        run(2, engine::Exchange::Automatic, [](engine::Mesh& mesh) {
            static CountingAllocator allocator;
            const engine::Dit model({8, 1, 10, 2, 128, 3, 4, {}});
            engine::BufferPool pool(mesh.shard(), c10::Device(c10::DeviceType::CPU));
            engine::UnitSequence units(model.units(), mesh.shard(), pool, {.computeDtype = at::kBFloat16}, {}, 0);
            const engine::LabelledImages images {at::randn({64, 1, 8, 8}), at::zeros({64}, at::kLong), 10};
            engine::LabelledBatches batches(images, 16, 0.1, model.nullLabel(), 0);
            engine::FlowSteps steps(model, batches, 1, mesh.data(), pool.device());
            engine::Trainer trainer(experimentOf("adamw"), units, mesh, pool.device());
            std::size_t bytesOfThird = 0, atThird = 0;
            bool isSame = true;
            for (int step = 1; step <= 10; ++step) {
                allocator.forget();
                trainer.step(steps, steps.loss(), {});
                if (step == 3) {
                    bytesOfThird = allocator.total;
                    atThird = systemBytes();
                }
                isSame &= step <= 3 || allocator.total == bytesOfThird;
            }
            return isSame && systemBytes() <= atThird;
        });
    }
};

QTEST_GUILESS_MAIN(StepMemoryTest)
#include "tst_step_memory.moc"
