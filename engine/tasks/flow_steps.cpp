#include "engine/tasks/flow_steps.h"

#include "engine/shard/upload.h"

namespace engine {

FlowSteps::FlowSteps(
    const Model& model, BatchSource& batches, std::int64_t microBatches, Group& dataRanks, c10::Device device, std::uint64_t seed)
    : m_model(model)
    , m_batches(batches)
    , m_microBatches(microBatches)
    , m_dataRanks(dataRanks)
    , m_device(device)
    , m_copies(device)
    , m_draws {.seed = seed}
{
}

FlowSteps::Loaded FlowSteps::upload(const BatchPosition& position)
{
    const FlowBatch batch = m_batches.batch(position);
    const CopyStream::Scope scope(m_copies);
    const auto onDevice = [this](const at::Tensor& values) { return uploaded(values, m_device); };
    Loaded loaded {.position = position, .input = {.latents = onDevice(batch.noisy), .sigmas = onDevice(batch.sigmas),
                       .labels = onDevice(batch.labels), .prompt = onDevice(batch.prompt), .promptMask = onDevice(batch.promptMask),
                       .pooled = onDevice(batch.pooled), .guidance = onDevice(batch.guidance)},
        .target = onDevice(batch.target), .weights = onDevice(batch.weights), .uploaded = {}};
    loaded.uploaded.emplace(m_copies);
    return loaded;
}

void FlowSteps::load(std::int64_t micro)
{
    const BatchPosition position {m_progress.step, m_progress.samplesSeen, micro, m_dataRanks.rank(), m_dataRanks.size()};
    m_loaded = m_next && m_next->position == position ? std::move(*m_next) : upload(position);
    m_next.reset();
    m_loaded.uploaded->computeWaits();
    m_draws.step = static_cast<std::uint64_t>(m_progress.step);
    m_draws.rows = m_batches.microBatch();
    m_draws.firstRow = static_cast<std::uint64_t>((micro * m_dataRanks.size() + m_dataRanks.rank()) * m_draws.rows);
}

void FlowSteps::prefetch()
{
    if (m_device.is_cpu())
        return;
    BatchPosition next = m_loaded.position;
    if (++next.micro == m_microBatches) {
        next.micro = 0;
        ++next.step;
        next.samplesSeen += rows() * m_dataRanks.size();
    }
    m_next = upload(next);
}

ForwardStep FlowSteps::forward(Tape& tape, std::int64_t /*timestep*/)
{
    tape.setDraws(m_draws);
    return {m_model.forward(tape, m_loaded.input), m_model.forwardFlops(m_loaded.input)};
}

LossFunction FlowSteps::loss()
{
    return [this](const ForwardStep& step, std::int64_t /*timestep*/) {
        if (m_gradient.defined() && m_gradient.sizes() != m_loaded.target.sizes())
            m_gradient.reset();
        const FlowLoss loss = flowLoss(step.prediction->data, m_loaded.target, m_gradient, m_loaded.weights);
        m_gradient = loss.gradient;
        return StepLoss {loss.value, loss.gradient, {}, loss.onDevice};
    };
}

}  // namespace engine
