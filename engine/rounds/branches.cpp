#include "engine/rounds/branches.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace engine {
namespace {

SdeWindowOptions branchWindow(const contract::RolloutSettings& rollout)
{
    return {.size = rollout.branchSteps, .first = rollout.windowBegin, .last = rollout.windowEnd};
}

}  // namespace

Branches::Branches(const contract::RolloutSettings& rollout, NoiseLevels levels, SdeType type, std::uint64_t seed)
    : m_rollout(rollout)
    , m_levels(std::move(levels))
    , m_type(type)
    , m_seed(seed)
{
    requireFits(branchWindow(rollout), rollout.steps);
}

SdeWindow Branches::steps(std::int64_t round) const { return randomWindow(branchWindow(m_rollout), m_rollout.steps, m_seed, round); }

void Branches::begin(std::int64_t round, const at::Tensor& noise, std::int64_t microBatch, Group& dataRanks, const PrefixStep& step)
{
    plan(round);
    std::vector<std::int64_t> shape = noise.sizes().vec();
    shape.insert(shape.begin() + 1, m_steps.size());
    m_prefixes = at::zeros(shape, noise.options());
    const std::int64_t micros = (m_rollout.prompts + microBatch - 1) / microBatch;
    for (std::int64_t i = 0; i * dataRanks.size() < micros; ++i) {
        const std::int64_t mine = i * dataRanks.size() + dataRanks.rank(), micro = mine % micros;
        const bool isSpare = mine >= micros;  // its passes only keep up with those of other ranks
        std::vector<std::int64_t> prompts;
        for (std::int64_t prompt = micro * microBatch; prompt < std::min((micro + 1) * microBatch, m_rollout.prompts); ++prompt)
            prompts.push_back(prompt);
        const auto count = static_cast<std::int64_t>(prompts.size());
        at::Tensor latents = noise.narrow(0, prompts.front(), count);
        for (std::int64_t at = 0; at < m_steps.end; ++at) {
            if (m_steps.contains(at) && !isSpare)
                m_prefixes.narrow(0, prompts.front(), count).select(1, at - m_steps.start).copy_(latents);
            if (at + 1 < m_steps.end)
                latents = step(prompts, latents, at);
        }
    }
    dataRanks.allReduceSum(m_prefixes, "latents where samples branch");
}

std::int64_t Branches::firstStep(std::int64_t first) const { return stepOf(first).start; }

at::Tensor Branches::prefix(std::int64_t row, std::int64_t step) const
{
    return m_prefixes.select(0, m_rollout.promptOf(row)).select(0, step - m_steps.start);
}

SdeWindow Branches::stepOf(std::int64_t row) const
{
    const std::int64_t step = m_steps.start + m_rollout.branchOf(row);
    return {step, step + 1};
}

double Branches::weight(std::int64_t row) const
{
    if (!m_rollout.isNoiseAware)
        return 1;
    const auto spreadAt = [&](std::int64_t step) { return spreadOf(m_levels, m_type, {step, m_rollout.noiseLevel}); };
    double sum = 0;
    for (std::int64_t step = m_steps.start; step < m_steps.end; ++step)
        sum += spreadAt(step);
    return spreadAt(stepOf(row).start) * static_cast<double>(m_steps.size()) / sum;
}

}  // namespace engine
