// However a batch is cut into micro-batches, timesteps and ranks: its loss and gradients are those of one pass over all.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/model/dit.h"
#include "engine/shard/random.h"
#include "engine/train/rollout_steps.h"
#include "engine/train/stacked_outputs.h"
#include "engine/train/trainer.h"
#include "tests/engine/comm/forked_ranks.h"

#include <QtTest>

#include <cmath>
#include <limits>

using engine::Exchange;
using engine::ForwardStep;
using engine::Mesh;
using engine::RolloutBatch;
using engine::StepLoss;
using engine::UnitSequence;
using engine::Weights;

namespace {

const c10::Device kCpu(c10::DeviceType::CPU);
constexpr std::int64_t kRows = 8, kTimesteps = 3;

engine::Dit modelOn(Mesh& mesh)
{
    return engine::Dit({.width = 16, .depth = 2, .heads = 4, .sequence = {&mesh.ring(), &mesh.ulysses()}});
}

/// Noised pictures at each of @p timesteps: [B, T, C, H, W].
RolloutBatch batchOf(std::int64_t timesteps)
{
    at::manual_seed(5);
    RolloutBatch batch;
    batch.set("noisy", at::randn({kRows, timesteps, 1, 8, 8}));
    batch.set("target", at::randn({kRows, timesteps, 1, 8, 8}));
    batch.set("sigmas", at::rand({kRows, timesteps}));
    batch.set("labels", at::arange(kRows, at::kLong));
    return batch;
}

/// Flow matching at every timestep of a rollout, as an algorithm would plug in.
class FlowOnRollout final : public engine::RolloutSteps {
public:
    FlowOnRollout(const engine::Model& model, const RolloutBatch& batch, std::int64_t microBatch)
        : RolloutSteps(batch, microBatch, "sigmas", kCpu)
        , m_model(model)
    {
    }

    ForwardStep forward(engine::Tape& tape, std::int64_t timestep) override
    {
        hasKeptOutputs |= !m_lastOutput.expired();
        visits.emplace_back(firstRow(), timestep);
        const engine::Var velocity = m_model.forward(tape, {column("noisy", timestep), column("sigmas", timestep), column("labels")});
        const at::Tensor mean = velocity->data.mean({1, 2, 3});
        m_lastOutput = mean.getIntrusivePtr();
        return {velocity, {{"velocity", velocity->data}, {"mean", mean}}};
    }

    engine::LossFunction loss()
    {
        return [this](const ForwardStep& step, std::int64_t timestep) {
            const auto loss = engine::flowLoss(step.prediction->data, column("target", timestep));
            return StepLoss {loss.value, loss.gradient, {{"row", static_cast<double>(firstRow())},
                                                           {"timestep", static_cast<double>(timestep)}}};
        };
    }

    std::vector<std::pair<std::int64_t, std::int64_t>> visits;  ///< first row and timestep of each pass
    bool hasKeptOutputs = false;  ///< of an earlier pass

private:
    at::Tensor column(const std::string& name, std::int64_t timestep = -1) const
    {
        const at::Tensor& values = loaded().tensor(name);
        return timestep < 0 ? values : values.select(1, timestep).contiguous();
    }

    const engine::Model& m_model;
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> m_lastOutput {
        c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>()};
};

/// A model with weights that differ from zero everywhere, on the ranks of a mesh.
struct Sharded {
    explicit Sharded(Mesh& onMesh, bool reducesEachPass = true)
        : mesh(onMesh)
        , model(modelOn(mesh))
        , pool(mesh.shard(), kCpu)
        , units(model.units(), mesh.shard(), pool, {at::kFloat, at::kFloat, true, 1, &mesh.replicate()},
              {.reducesEachPass = reducesEachPass}, 3)
    {
        for (std::size_t i = 0; i < units.size(); ++i) {
            for (std::size_t p = 0; p < units[i].spec().parameters.size(); ++p) {
                const auto& spec = units[i].spec().parameters[p];
                const at::Tensor whole = at::empty(spec.shape);
                engine::fillNormal({whole.data_ptr<float>(), static_cast<std::size_t>(whole.numel())},
                    {.seed = 1, .purpose = spec.name});
                units[i].setMaster(p, whole.mul_(0.2));
            }
        }
    }

    /// This data rank's rows.
    RolloutBatch share(const RolloutBatch& batch) const
    {
        const std::int64_t rows = batch.rows() / mesh.data().size();
        return batch.narrow(mesh.data().rank() * rows, rows);
    }

    engine::StepNumbers train(FlowOnRollout& steps)
    {
        engine::StepNumbers numbers;
        engine::StepTimes times;
        units.zeroGrad();
        engine::forwardBackward(units, mesh, steps, steps.loss(), 1, numbers, times);
        return numbers;
    }

    /// Whole gradients of all parameters: gathered as if they were the weights. Collective.
    std::vector<at::Tensor> gradients()
    {
        std::vector<at::Tensor> whole;
        for (std::size_t i = 0; i < units.size(); ++i) {
            units[i].reshard();
            units[i].master.copy_(units[i].gradShard);
            units[i].finishGather();
            for (std::size_t p = 0; p < units[i].spec().parameters.size(); ++p)
                whole.push_back(units[i].parameter(p).value.clone());
            units[i].reshard();
        }
        return whole;
    }

    Mesh& mesh;
    engine::Dit model;
    engine::BufferPool pool;
    UnitSequence units;
};

Mesh loneMesh() { return Mesh({}, std::make_unique<engine::LoneGroup>()); }

/// Every timestep of every row as a row of its own.
RolloutBatch flattened(const RolloutBatch& batch)
{
    RolloutBatch flat;
    const std::int64_t timesteps = batch.tensor("sigmas").size(1);
    for (const char* name : {"noisy", "target", "sigmas"})
        flat.set(name, batch.tensor(name).flatten(0, 1).unsqueeze(1));
    flat.set("labels", batch.tensor("labels").repeat_interleave(timesteps));
    return flat;
}

struct Expected {
    double loss = 0;
    std::vector<at::Tensor> gradients;
};

/// One pass over all rows and timesteps at once.
Expected inOnePass(std::int64_t timesteps)
{
    Mesh mesh = loneMesh();
    Sharded sharded(mesh);
    FlowOnRollout steps(sharded.model, flattened(batchOf(timesteps)), kRows * timesteps);
    const double loss = sharded.train(steps).loss();
    return {loss, sharded.gradients()};
}

bool isNear(double a, double b, double rtol) { return std::abs(a - b) <= rtol * std::abs(b); }

contract::Experiment experimentWith(std::initializer_list<std::pair<const char*, contract::OptionValue>> options)
{
    contract::Experiment experiment;
    experiment.set("engine.compute_dtype", std::string("fp32"));
    for (const auto& [key, value] : options) {
        if (const auto problem = experiment.set(key, value))
            qFatal("%s", problem->message.c_str());
    }
    return experiment;
}

QByteArray messageOf(const std::function<void()>& action)
{
    try {
        action();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class ForwardBackwardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gradientsAreThoseOfOnePass_data()
    {
        QTest::addColumn<contract::MeshShape>("shape");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<int>("timesteps");
        QTest::addColumn<bool>("reducesEachPass");
        const auto row = [](const char* name, const contract::MeshShape& shape, int microBatch, int timesteps,
                             bool reducesEachPass = true) {
            QTest::newRow(name) << shape << microBatch << timesteps << reducesEachPass;
        };
        row("E-141 4 micro-batches, 3 timesteps", {}, 2, 3);
        row("E-141 1 micro-batch, 3 timesteps", {}, 8, 3);
        row("E-142 4 micro-batches, 1 timestep", {}, 2, 1);
        row("E-143 2 data ranks", {.world = 2, .shard = 2}, 2, 3);
        row("E-143 2 replicas", {.world = 2, .shard = 1}, 2, 3);
        row("E-143 2 replicas, reduced once", {.world = 2, .shard = 1}, 2, 3, false);
        row("E-143 Ulysses of 2 ranks", {.world = 2, .shard = 2, .ulysses = 2}, 4, 3);
        row("E-143 ring of 2 ranks, 2 data ranks", {.world = 4, .shard = 4, .ring = 2}, 2, 2);
    }
    void gradientsAreThoseOfOnePass()
    {
        QFETCH(contract::MeshShape, shape);
        QFETCH(int, microBatch);
        QFETCH(int, timesteps);
        QFETCH(bool, reducesEachPass);
        const Expected expected = inOnePass(timesteps);
        const auto codes = tests::runRanks(shape, Exchange::SharedMemory, [&](Mesh& mesh) {
            Sharded sharded(mesh, reducesEachPass);
            FlowOnRollout steps(sharded.model, sharded.share(batchOf(timesteps)), microBatch);
            const engine::StepNumbers numbers = sharded.train(steps);
            const std::int64_t passes = steps.microBatches() * timesteps;
            const auto divisor = static_cast<double>(passes * mesh.data().size());
            const auto gradients = sharded.gradients();
            for (std::size_t i = 0; i < gradients.size(); ++i) {
                const double error = (gradients[i] / divisor - expected.gradients[i]).abs().max().item<double>();
                if (error > 1e-5 * expected.gradients[i].abs().max().item<double>() + 1e-9)
                    return false;
            }
            return static_cast<std::int64_t>(numbers.losses.size()) == passes;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(shape.world), 0));
    }

    void everyMicroBatchIsVisitedAtEachTimestepInTurn()  // E-141
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto numbers = sharded.train(steps);
        using Visits = std::vector<std::pair<std::int64_t, std::int64_t>>;
        QVERIFY(steps.visits == (Visits {{0, 0}, {0, 1}, {0, 2}, {4, 0}, {4, 1}, {4, 2}}));
        QCOMPARE(numbers.metrics.at("row"), (std::vector<double> {0, 0, 0, 4, 4, 4}));  // E-145
        QCOMPARE(numbers.metrics.at("timestep"), (std::vector<double> {0, 1, 2, 0, 1, 2}));
    }

    void reportedLossesAreDividedByTheirNumber()  // E-148
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto numbers = sharded.train(steps);
        const RolloutBatch flat = flattened(batchOf(kTimesteps));
        for (const std::int64_t pass : {0, 1, 2, 3, 4, 5}) {
            std::vector<std::int64_t> rows;  // of micro-batch pass / 3 at timestep pass % 3
            for (std::int64_t row = 0; row < 4; ++row)
                rows.push_back((pass / 3 * 4 + row) * kTimesteps + pass % 3);
            FlowOnRollout alone(sharded.model, flat.select(rows), 4);
            QVERIFY(isNear(numbers.losses[static_cast<std::size_t>(pass)], sharded.train(alone).loss() / 6, 1e-5));
        }
        QVERIFY(isNear(numbers.loss(), inOnePass(kTimesteps).loss, 1e-5));
    }

    void lossesOfDataRanksAreAveraged_data()
    {
        QTest::addColumn<contract::MeshShape>("shape");
        QTest::newRow("E-148 2 data ranks") << contract::MeshShape {.world = 2, .shard = 2};
        QTest::newRow("E-148 2 ranks of a sequence") << contract::MeshShape {.world = 2, .shard = 2, .ring = 2};
    }
    void lossesOfDataRanksAreAveraged()
    {
        QFETCH(contract::MeshShape, shape);
        const Expected expected = inOnePass(kTimesteps);
        double squares = 0;
        for (const at::Tensor& gradient : expected.gradients)
            squares += gradient.square().sum().item<double>();
        const auto codes = tests::runRanks(shape, Exchange::SharedMemory, [&](Mesh& mesh) {
            Sharded sharded(mesh);
            FlowOnRollout steps(sharded.model, sharded.share(batchOf(kTimesteps)), 2);
            engine::Trainer trainer(experimentWith({}), sharded.units, mesh, kCpu);
            const auto report = trainer.step(steps, steps.loss(), {});
            return isNear(report.loss, expected.loss, 1e-5) && isNear(report.gradNorm, std::sqrt(squares), 1e-4)
                && report.samples == kRows;
        });
        QCOMPARE(codes, std::vector<int>(2, 0));
    }

    void trainingKeepsNoOutputs()  // E-146
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 2);
        sharded.train(steps);
        QCOMPARE(steps.visits.size(), std::size_t {12});
        QVERIFY(!steps.hasKeptOutputs);
    }

    void aForwardPassGivesEveryRowAtEveryTimestep()  // E-145, E-163
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        const RolloutBatch batch = batchOf(kTimesteps);
        FlowOnRollout steps(sharded.model, batch, 2);
        const auto trained = sharded.train(steps);
        const at::Tensor gradient = sharded.units[1].gradShard.clone();
        const auto result = engine::forwardOnly(sharded.units, steps, steps.loss(), Weights::Master);

        const RolloutBatch flat = flattened(batch);
        const at::Tensor expected = engine::predict(sharded.model, sharded.units,
            {flat.tensor("noisy").squeeze(1), flat.tensor("sigmas").squeeze(1), flat.tensor("labels")});
        const at::Tensor velocity = result.outputs.at("velocity");
        QCOMPARE(velocity.sizes(), at::IntArrayRef({kRows, kTimesteps, 1, 8, 8}));
        QVERIFY(velocity.flatten(0, 1).allclose(expected, 1e-4, 1e-5));
        QVERIFY(result.outputs.at("mean").allclose(velocity.mean({2, 3, 4}), 1e-4, 1e-5));
        QCOMPARE(result.numbers.losses.size(), trained.losses.size());
        for (std::size_t i = 0; i < trained.losses.size(); ++i)
            QVERIFY(isNear(result.numbers.losses[i], trained.losses[i], 1e-5));
        QCOMPARE(result.numbers.metrics, trained.metrics);
        QVERIFY(sharded.units[1].gradShard.equal(gradient));  // nothing goes back
    }

    void aForwardPassMayUseTheAverage()  // E-163
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto velocityOf = [&](Weights weights) {
            return engine::forwardOnly(sharded.units, steps, {}, weights).outputs.at("velocity");
        };
        const at::Tensor master = velocityOf(Weights::Master);
        for (std::size_t i = 0; i < sharded.units.size(); ++i)
            sharded.units[i].ema.copy_(sharded.units[i].master * 0.5);
        const at::Tensor average = velocityOf(Weights::Ema);
        QVERIFY(!average.allclose(master));
        for (std::size_t i = 0; i < sharded.units.size(); ++i)
            sharded.units[i].master.mul_(0.5);
        QVERIFY(velocityOf(Weights::Master).equal(average));
    }

    void withoutALossThereIsOnlyAForwardPass()  // E-147, E-162
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        const auto result = engine::forwardOnly(sharded.units, steps, {}, Weights::Master);
        QCOMPARE(result.numbers.losses, std::vector<double>(6, 1.0));
        QVERIFY(result.numbers.metrics.empty());
        engine::Trainer trainer(experimentWith({}), sharded.units, mesh, kCpu);
        QVERIFY(messageOf([&] { trainer.step(steps, {}, {}); }).contains("needs a loss function"));
        QCOMPARE(trainer.progress().step, 0);
    }

    void eachTrainingStepBeginsWithoutGradients()  // E-162
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps), 4);
        // The warm-up begins with a learning rate of 0: both steps see the same weights.
        engine::Trainer trainer(experimentWith({{"schedule.warmup_steps", std::int64_t {10}}}), sharded.units, mesh, kCpu);
        const auto first = trainer.step(steps, steps.loss(), {});
        QVERIFY(first.gradNorm > 0);
        QCOMPARE(first.lr, 0.0);
        QCOMPARE(trainer.step(steps, steps.loss(), {}).gradNorm, first.gradNorm);
        QCOMPARE(trainer.progress().appliedSteps, 2);
        QCOMPARE(trainer.numbers().losses.size(), std::size_t {6});
    }

    void oneNumberThatIsNotFiniteSkipsTheStepOnAllRanks()  // E-172, E-175
    {
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, Exchange::SharedMemory, [](Mesh& mesh) {
            Sharded sharded(mesh);
            RolloutBatch batch = sharded.share(batchOf(kTimesteps));
            if (mesh.world().rank() == 1) {  // in its last row, at one timestep
                const at::Tensor target = batch.tensor("target").clone();
                target[3][1].fill_(std::numeric_limits<float>::infinity());
                batch.set("target", target);
            }
            FlowOnRollout bad(sharded.model, batch, 2), good(sharded.model, sharded.share(batchOf(kTimesteps)), 2);
            engine::Trainer trainer(experimentWith({{"schedule.warmup_steps", std::int64_t {10}}}), sharded.units, mesh, kCpu);
            trainer.step(good, good.loss(), {});
            const double lr = trainer.step(good, good.loss(), {}).lr;
            const at::Tensor weights = sharded.units[1].master.clone(), average = sharded.units[1].ema.clone();
            const auto skipped = trainer.step(bad, bad.loss(), {});
            const engine::TrainingProgress progress = trainer.progress();
            const bool isUnmoved = sharded.units[1].master.equal(weights) && sharded.units[1].ema.equal(average);
            const auto next = trainer.step(good, good.loss(), {});
            return skipped.isSkipped && !std::isfinite(skipped.gradNorm) && isUnmoved && progress.step == 3
                && progress.skippedSteps == 1 && progress.appliedSteps == 2 && progress.scheduleSteps == 2
                && progress.samplesSeen == 3 * kRows && next.lr == 2 * lr && !next.isSkipped;
        });
        QCOMPARE(codes, std::vector<int>(2, 0));
    }

    void theLearningRateGoesOnOnceAnUpdate()  // E-160
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(1), 8);
        engine::Trainer trainer(experimentWith({{"schedule.warmup_steps", std::int64_t {10}}, {"optim.lr", 1e-3}}),
            sharded.units, mesh, kCpu);
        std::vector<double> rates;
        for (const bool isLast : {false, false, true, false, true, false}) {
            const auto report = trainer.step(steps, steps.loss(), {},
                isLast ? engine::ScheduleStep::Each : engine::ScheduleStep::None);
            rates.push_back(std::round(report.lr * 1e7) / 1e7);
        }
        QCOMPARE(rates, (std::vector<double> {0, 0, 0, 1e-4, 1e-4, 2e-4}));
        QCOMPARE(trainer.progress().appliedSteps, 6);

        auto state = trainer.toState();
        QCOMPARE(engine::TrainingProgress::fromState(state).scheduleSteps, 2);
        state.erase("schedule_steps");  // of a run that took one with each applied step
        QCOMPARE(engine::TrainingProgress::fromState(state).scheduleSteps, 6);
    }

    void outputsThatDoNotFitTogetherAreNamed()  // E-145
    {
        const auto problem = [](const engine::NamedTensors& second) {
            return messageOf([&] {
                engine::StackedOutputs outputs(1, 2);
                outputs.add(0, 0, {{"x0", at::zeros({2, 3})}});
                outputs.add(0, 1, second);
                outputs.take();
            });
        };
        QCOMPARE(problem({{"x0", at::ones({2, 3})}}), QByteArray());
        const auto otherShape = problem({{"x0", at::ones({2, 4})}});
        QVERIFY(otherShape.contains("\"x0\"") && otherShape.contains("[2, 4]") && otherShape.contains("[2, 3]"));
        QVERIFY(problem({{"x0", at::ones({2, 3}, at::kDouble)}}).contains("Double"));
        QVERIFY(problem({{"x0", at::ones({1, 3})}}).contains("[1, 3]"));
        QVERIFY(problem({{"x0", at::scalar_tensor(1)}}).contains("is a number"));
        QVERIFY(problem({}).contains("1 of 2 passes"));
        QVERIFY(problem({{"x0", at::ones({2, 3})}, {"xt", at::ones({2, 3})}}).contains("\"xt\" came from 1 of 2"));
    }

    void nothingToDoIsRefused()  // E-141
    {
        Mesh mesh = loneMesh();
        Sharded sharded(mesh);
        FlowOnRollout steps(sharded.model, batchOf(kTimesteps).narrow(0, 0), 4);
        QVERIFY(messageOf([&] { sharded.train(steps); }).contains("0 micro-batches"));
        RolloutBatch batch;
        batch.set("labels", at::zeros({4}, at::kLong));
        QVERIFY_THROWS_EXCEPTION(std::out_of_range, FlowOnRollout(sharded.model, batch, 4));
        batch.set("sigmas", at::zeros({4}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, FlowOnRollout(sharded.model, batch, 4));
    }
};

QTEST_GUILESS_MAIN(ForwardBackwardTest)
#include "tst_forward_backward.moc"
