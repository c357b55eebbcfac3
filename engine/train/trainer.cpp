#include "engine/train/trainer.h"

#include "engine/comm/trace.h"
#include "engine/optim/clipping.h"
#include "engine/shard/squares.h"
#include "engine/shard/upload.h"
#include "engine/train/stopwatch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>

#include <cmath>

namespace engine {
namespace {

const std::string kWeights = "the weights";

bool anyComputesInHalf(UnitSequence& units)
{
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i].computeDtype() == at::kHalf)
            return true;
    }
    return false;
}

}  // namespace

Trainer::Trainer(const contract::Experiment& experiment, UnitSequence& units, Mesh& mesh, c10::Device device)
    : m_units(units)
    , m_mesh(mesh)
    , m_device(device)
    , m_optimizer(makeOptimizer(experiment, units, mesh.shard()))
    , m_schedule(scheduleOf(experiment))
    , m_schedulesRounds(experiment.boolean("policy.schedule_by_round"))
    , m_isScaling(anyComputesInHalf(units))
    , m_scaler(lossScalerOptionsOf(experiment), m_isScaling ? at::kHalf : at::kFloat)
    , m_clock(mesh, device)
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

StepReport Trainer::step(ForwardSteps& steps, const LossFunction& loss, const Requests& requests)
{
    StepReport report;
    Stopwatch whole;
    m_clock.begin();
    steps.begin(m_progress);
    forwardBackward(m_units, steps, loss, m_scaler.scale(), m_numbers, m_clock);

    report.rankLoss = m_numbers.loss();
    report.samples = steps.rows() * m_mesh.data().size();
    const double gradScale = m_scaler.inverseScale()
        / static_cast<double>(m_mesh.data().size() * steps.microBatches() * steps.timesteps());
    reduceReport(report, requests, gradScale);
    if (!m_device.is_cpu())
        m_clock.collect(report.times);  // the host has just waited
    update(report, gradScale, steps.isLastOfRound());
    m_units.zeroGrad();  // what is computed between steps needs the memory
    m_clock.lap(&StepTimes::optimizer);
    if (m_device.is_cpu())
        m_clock.collect(report.times);
    report.times.step = whole.lap();
    return report;
}

void Trainer::reduceReport(StepReport& report, const Requests& requests, double gradScale)
{
    double squares = 0;
    std::vector<at::Tensor> onDevice;
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        if (m_units[i].gradShard.is_cpu())
            squares += m_units[i].gradSquares();
        else if (m_units[i].isTrained())
            onDevice.push_back(m_units[i].gradShard);
    }
    const auto bit = [](bool flag) { return flag ? 1.0 : 0.0; };
    double values[] = {report.rankLoss, squares, bit(requests.stop), bit(requests.stopNow),
        bit(requests.checkpoint), bit(requests.sample), m_numbers.forwardFlops};
    at::Tensor sums = at::from_blob(values, {static_cast<std::int64_t>(std::size(values))}, at::kDouble);
    if (!m_device.is_cpu()) {
        const at::Tensor host = sums, losses = m_numbers.lossesOnDevice();
        sums = uploaded(sums, m_device);
        if (losses.defined())
            sums.select(0, 0).add_(losses.sum());
        if (!onDevice.empty())
            sums.select(0, 1).add_(sumOfSquares(onDevice));
        m_mesh.world().allReduceSum(sums, "loss and gradient norm");
        m_clock.lap(&StepTimes::optimizer);
        // The only time in a step that the host waits for the device: all that it needs comes in one copy.
        const at::Tensor read = m_mesh.world().onHost(losses.defined() ? at::cat({sums, losses}) : sums);
        host.copy_(read.narrow(0, 0, host.numel()));
        if (losses.defined())
            m_numbers.setLosses(read.narrow(0, host.numel(), losses.numel()));
        report.rankLoss = m_numbers.loss();
    } else {
        m_mesh.world().allReduceSum(sums, "loss and gradient norm");
    }
    report.loss = values[0] / m_mesh.shape().world;
    report.gradNorm = std::sqrt(values[1] / m_mesh.shape().replicas()) * gradScale;
    report.agreed = {values[2] > 0, values[3] > 0, values[4] > 0, values[5] > 0};
    report.forwardFlops = values[6] / m_mesh.shape().sequence();  // the ranks of a sequence count the same samples
}

void Trainer::update(StepReport& report, double gradScale, bool isLastOfRound)
{
    const at::NoGradGuard noGrad;
    const TraceRange range("update of", kWeights);
    report.lr = m_lr * m_schedule.factor(m_progress.scheduleSteps);
    if (m_isScaling)
        report.lossScale = m_scaler.scale();
    report.isSkipped = !std::isfinite(report.gradNorm);
    m_scaler.update(report.isSkipped);
    if (report.isSkipped) {
        ++m_progress.skippedSteps;
    } else {
        ++m_progress.appliedSteps;
        m_progress.scheduleSteps += isLastOfRound || !m_schedulesRounds ? 1 : 0;
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
