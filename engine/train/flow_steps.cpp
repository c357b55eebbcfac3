#include "engine/train/flow_steps.h"

namespace engine {

FlowSteps::FlowSteps(
    const Model& model, BatchSource& batches, std::int64_t microBatches, Group& dataRanks, c10::Device device, std::uint64_t seed)
    : m_model(model)
    , m_batches(batches)
    , m_microBatches(microBatches)
    , m_dataRanks(dataRanks)
    , m_device(device)
    , m_draws {.seed = seed}
{
}

void FlowSteps::load(std::int64_t micro)
{
    const FlowBatch batch = m_batches.batch(
        {m_progress.step, m_progress.samplesSeen, micro, m_dataRanks.rank(), m_dataRanks.size()});
    m_input = ModelInput {.latents = batch.noisy, .sigmas = batch.sigmas, .labels = batch.labels, .prompt = batch.prompt,
        .promptMask = batch.promptMask, .pooled = batch.pooled, .guidance = batch.guidance}.on(m_device);
    m_target = batch.target.to(m_device);
    m_weights = batch.weights.defined() ? batch.weights.to(m_device) : at::Tensor();
    m_draws.step = static_cast<std::uint64_t>(m_progress.step);
    m_draws.rows = m_batches.microBatch();
    m_draws.firstRow = static_cast<std::uint64_t>((micro * m_dataRanks.size() + m_dataRanks.rank()) * m_draws.rows);
}

ForwardStep FlowSteps::forward(Tape& tape, std::int64_t /*timestep*/)
{
    tape.setDraws(m_draws);
    return {m_model.forward(tape, m_input), {}};
}

LossFunction FlowSteps::loss()
{
    return [this](const ForwardStep& step, std::int64_t /*timestep*/) {
        if (m_gradient.defined() && m_gradient.sizes() != m_target.sizes())
            m_gradient.reset();
        const FlowLoss loss = flowLoss(step.prediction->data, m_target, m_gradient, m_weights);
        m_gradient = loss.gradient;
        return StepLoss {loss.value, loss.gradient, {}};
    };
}

}  // namespace engine
