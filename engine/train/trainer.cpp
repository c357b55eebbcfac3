#include "engine/train/trainer.h"

#include "engine/comm/errors.h"
#include "engine/comm/trace.h"
#include "engine/contract/text.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/train/clipping.h"
#include "engine/train/run_setup.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <chrono>
#include <cmath>
#include <optional>

namespace engine {
namespace {

const std::string kModel = "the model";
const std::string kWeights = "the weights";

class Stopwatch {
public:
    /// Milliseconds since the last lap, or since construction.
    double lap()
    {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double, std::milli> elapsed = now - std::exchange(m_last, now);
        return elapsed.count();
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

std::int64_t stateInteger(const std::map<std::string, std::string>& state, const std::string& name)
{
    const auto found = state.find(name);
    const auto value
        = found == state.end() ? std::nullopt : contract::parseInteger(found->second);
    if (!value || *value < 0)
        throw EngineError(
            EngineError::Kind::BadCheckpoint, "the checkpoint's state lacks \"" + name + "\"");
    return *value;
}

}  // namespace

std::map<std::string, std::string> TrainingProgress::toState() const
{
    return {{"step", std::to_string(step)}, {"applied_steps", std::to_string(appliedSteps)},
        {"skipped_steps", std::to_string(skippedSteps)},
        {"samples_seen", std::to_string(samplesSeen)}};
}

TrainingProgress TrainingProgress::fromState(const std::map<std::string, std::string>& state)
{
    return {stateInteger(state, "step"), stateInteger(state, "applied_steps"),
        stateInteger(state, "skipped_steps"), stateInteger(state, "samples_seen")};
}

Trainer::Trainer(const contract::Experiment& experiment, const Model& model, UnitSequence& units,
    Mesh& mesh, BatchSource& batches, c10::Device device)
    : m_model(model)
    , m_units(units)
    , m_mesh(mesh)
    , m_batches(batches)
    , m_device(device)
    , m_optimizer(makeOptimizer(experiment, units, mesh.shard()))
    , m_schedule(scheduleOf(experiment))
    , m_scaler(lossScalerOptionsOf(experiment), units[0].computeDtype())
    , m_isScaling(units[0].computeDtype() == at::kHalf)
    , m_accumulation(accumulationOf(experiment, mesh.data().size()))
    , m_lr(experiment.real("optim.lr"))
    , m_clipNorm(experiment.real("optim.clip_norm"))
    , m_emaDecay(experiment.real("ema.decay"))
{
}

std::map<std::string, std::string> Trainer::toState() const
{
    auto state = m_progress.toState();
    if (m_isScaling)
        state.merge(m_scaler.toState());
    return state;
}

void Trainer::restore(const std::map<std::string, std::string>& state)
{
    m_progress = TrainingProgress::fromState(state);
    if (m_isScaling)
        m_scaler.restore(state);
}

StepReport Trainer::step(const Requests& requests)
{
    StepReport report;
    Stopwatch whole;
    m_mesh.takeWaitedMs();
    m_units.zeroGrad();
    for (std::int64_t micro = 0; micro < m_accumulation; ++micro)
        report.rankLoss += runMicroBatch(micro, report.times) / static_cast<double>(m_accumulation);

    Stopwatch rest;
    const double gradScale = m_scaler.inverseScale() / static_cast<double>(m_mesh.data().size() * m_accumulation);
    reduceReport(report, requests, gradScale);
    const double waited = m_mesh.takeWaitedMs();
    update(report, gradScale);
    report.times.communication += waited;
    report.times.optimizer = rest.lap() - waited;
    report.times.step = whole.lap();
    return report;
}

double Trainer::runMicroBatch(std::int64_t micro, StepTimes& times)
{
    Stopwatch watch;
    const FlowBatch batch = m_batches.batch(
        {m_progress.step, m_progress.samplesSeen, micro, m_mesh.data().rank(), m_mesh.data().size()});
    const ModelInput input {
        batch.noisy.to(m_device), batch.sigmas.to(m_device), batch.labels.to(m_device)};
    const at::Tensor target = batch.target.to(m_device);
    times.data += watch.lap();

    Tape tape(m_units, Tape::Mode::Train);
    std::optional<TraceRange> range(std::in_place, "forward of", kModel);
    const Var velocity = m_model.forward(tape, input);
    const FlowLoss loss = flowLoss(velocity->data, target);
    range.reset();
    double waited = m_mesh.takeWaitedMs();
    times.communication += waited;
    times.forward += watch.lap() - waited;

    m_units.setLastBackward(micro + 1 == m_accumulation);
    const TraceRange backward("backward of", kModel);
    tape.backward(velocity, m_isScaling ? loss.gradient * m_scaler.scale() : loss.gradient);
    waited = m_mesh.takeWaitedMs();
    times.communication += waited;
    times.backward += watch.lap() - waited;
    return loss.value;
}

void Trainer::reduceReport(StepReport& report, const Requests& requests, double gradScale)
{
    double squares = 0;
    for (std::size_t i = 0; i < m_units.size(); ++i)
        squares += sumOfSquares(m_units[i].gradShard);
    const auto bit = [](bool flag) { return flag ? 1.0 : 0.0; };
    double values[] = {report.rankLoss, squares, bit(requests.stop), bit(requests.stopNow),
        bit(requests.checkpoint), bit(requests.sample)};
    at::Tensor sums = at::from_blob(values, {static_cast<std::int64_t>(std::size(values))}, at::kDouble);
    if (m_device.is_cuda()) {
        sums = sums.to(m_device);
        m_mesh.world().allReduceSum(sums, "loss and gradient norm");
        at::from_blob(values, sums.sizes(), at::kDouble).copy_(sums);
    } else {
        m_mesh.world().allReduceSum(sums, "loss and gradient norm");
    }
    report.loss = values[0] / m_mesh.shape().world;
    report.gradNorm = std::sqrt(values[1] / m_mesh.shape().replicas()) * gradScale;
    report.agreed = {values[2] > 0, values[3] > 0, values[4] > 0, values[5] > 0};
    report.samples = m_batches.microBatch() * m_accumulation * m_mesh.data().size();
}

void Trainer::update(StepReport& report, double gradScale)
{
    const at::NoGradGuard noGrad;
    const TraceRange range("update of", kWeights);
    report.lr = m_lr * m_schedule.factor(m_progress.appliedSteps);
    if (m_isScaling)
        report.lossScale = m_scaler.scale();
    report.isSkipped = !std::isfinite(report.gradNorm);
    m_scaler.update(report.isSkipped);
    if (report.isSkipped) {
        ++m_progress.skippedSteps;
    } else {
        ++m_progress.appliedSteps;
        const auto applied = static_cast<double>(m_progress.appliedSteps);
        const double clip = clipFactor(report.gradNorm, m_clipNorm);
        const OptimizerStep step {.lr = report.lr, .gradScale = gradScale * clip,
            .emaDecay = std::min(m_emaDecay, (1 + applied) / (10 + applied)),
            .count = m_progress.appliedSteps};
        m_optimizer->prepare(step);
        for (std::size_t i = 0; i < m_units.size(); ++i) {
            m_optimizer->update(i, step);
            m_units.weightsChanged(i);
        }
    }
    ++m_progress.step;
    m_progress.samplesSeen += report.samples;
}

}  // namespace engine
