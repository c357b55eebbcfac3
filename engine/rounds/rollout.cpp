#include "engine/rounds/rollout.h"

#include "engine/comm/errors.h"
#include "engine/diffusion/flow_matching.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

namespace engine {
namespace {

SdeType typeOf(contract::StochasticKind kind)
{
    switch (kind) {
    case contract::StochasticKind::Cps:
        return SdeType::Cps;
    case contract::StochasticKind::DanceSde:
        return SdeType::DanceSde;
    default:
        return SdeType::Sde;
    }
}

/// The settings with stochastic steps only where the trained model predicts.
contract::PolicySettings withinTrained(contract::PolicySettings settings, const NoiseLevels& levels, const TimestepRange& trained)
{
    contract::RolloutSettings& rollout = settings.rollout;
    const auto isTrained = [&](double timestep) { return trained.contains(timestep); };
    const auto begin = std::find_if(levels.timesteps.begin(), levels.timesteps.end(), isTrained);
    const auto end = std::find_if_not(begin, levels.timesteps.end(), isTrained);
    const std::int64_t first = begin - levels.timesteps.begin(), last = std::min(end - levels.timesteps.begin(), rollout.steps);
    if (first == 0 && last == rollout.steps)
        return settings;
    const auto refuse = [&](const std::string& keys, const std::string& remedy) {
        const std::string own = first < last ? "steps " + std::to_string(first + 1) + " to " + std::to_string(last) : "none";
        throw EngineError(EngineError::Kind::WrongUsage, keys + ": of the " + std::to_string(rollout.steps)
                + " steps of a sample, the transformer that model.component trains makes " + own + "; " + remedy);
    };
    if (first >= last)
        refuse("rollout.steps = " + std::to_string(rollout.steps), "set more steps");
    if (settings.isForward)
        return settings;
    if (rollout.windowSize > 0 || rollout.branchSteps > 0) {
        rollout.windowBegin = std::max(rollout.windowBegin, first);
        rollout.windowEnd = std::min(rollout.windowEnd, last);
        if (rollout.windowEnd - rollout.windowBegin < std::max(rollout.windowSize, rollout.branchSteps))
            refuse("rollout.window_begin and rollout.window_end", "choose among these, counted from 0, or set model.component to the other one");
    } else {
        rollout.windowBegin = first;
        rollout.windowEnd = std::min(last, rollout.steps - 1);  // the last step of a sample has no noise
        rollout.windowSize = rollout.windowEnd - rollout.windowBegin;
        if (rollout.windowSize < 1)
            refuse("rollout.steps = " + std::to_string(rollout.steps), "set more steps, since the last one has no noise");
    }
    return settings;
}

SdeWindowOptions windowOptions(const contract::RolloutSettings& rollout)
{
    if (rollout.windowSize == 0)
        return {};
    return {.size = rollout.windowSize, .first = rollout.windowBegin, .last = rollout.windowEnd};
}

SdeWindow anyWindow(const contract::PolicySettings& settings)
{
    if (settings.isForward)
        return {};
    if (settings.rollout.branchSteps > 0)
        return {0, 1};
    return {0, settings.rollout.windowSize > 0 ? settings.rollout.windowSize : settings.rollout.steps - 1};
}

/// Steps of each row in its own window. @param values one tensor a step from @p first on, [b, …] @param more values than steps of a window
at::Tensor inWindows(const std::vector<at::Tensor>& values, const std::vector<SdeWindow>& windows, std::int64_t first, std::int64_t more)
{
    const at::Tensor all = at::stack(values, 1);
    std::vector<at::Tensor> rows;
    for (std::size_t row = 0; row < windows.size(); ++row)
        rows.push_back(all.select(0, static_cast<std::int64_t>(row)).narrow(0, windows[row].start - first, windows[row].size() + more));
    return at::stack(rows);
}

}  // namespace

Rollout::Rollout(const contract::PolicySettings& settings, RolloutSource& source, const GuidedModel& model, Group& dataRanks, std::uint64_t seed,
    c10::Device device, bool keepsMeans)
    : m_settings(withinTrained(settings, source.levels(settings.rollout.steps), source.trainedTimesteps()))
    , m_source(source)
    , m_model(model)
    , m_dataRanks(dataRanks)
    , m_seed(seed)
    , m_device(device)
    , m_keepsMeans(keepsMeans)
    , m_levels(source.levels(settings.rollout.steps))
    , m_trained(source.trainedTimesteps())
    , m_stepping {.type = typeOf(settings.rollout.kind)}
    , m_windowOptions(windowOptions(m_settings.rollout))
    , m_window(anyWindow(m_settings))
    , m_promptOrder(source.prompts(), seed)
{
    if (settings.isForward)
        return;
    requireFits(m_windowOptions, settings.rollout.steps);
    if (settings.rollout.branchSteps > 0)
        m_branches.emplace(m_settings.rollout, m_levels, m_stepping.type, seed);
}

std::vector<float> Rollout::trainedSteps() const
{
    std::vector<float> steps;
    std::ranges::copy_if(m_levels.timesteps, std::back_inserter(steps), [&](float timestep) { return m_trained.contains(timestep); });
    return steps;
}

std::vector<SdeWindow> Rollout::windows(const std::vector<std::uint64_t>& rows, std::int64_t round) const
{
    const contract::RolloutSettings& rollout = m_settings.rollout;
    if (rollout.isWindowShared && m_windowOptions.size) {
        const SdeWindow shared = rollout.windowMoves
            ? progressiveWindow(m_windowOptions, rollout.steps, round, rollout.windowRounds)
            : randomWindow(m_windowOptions, rollout.steps, rollout.windowSeed, round);
        return std::vector(rows.size(), shared);
    }
    const auto rowsOfRound = static_cast<std::uint64_t>(rollout.rows());
    std::vector<at::Generator> generators;
    for (const std::uint64_t row : rows) {
        const std::uint64_t number = static_cast<std::uint64_t>(round) * rowsOfRound + row;
        generators.push_back(at::make_generator<at::CPUGeneratorImpl>(m_seed * 0x9E3779B97F4A7C15U + number));
    }
    return drawnWindows(m_windowOptions, rollout.steps, static_cast<std::int64_t>(rows.size()), generators);
}

std::int64_t Rollout::prompt(std::int64_t slot, std::int64_t round) { return m_promptOrder.index(round * m_settings.rollout.prompts + slot); }

at::Tensor Rollout::noise(const std::vector<std::uint64_t>& keys, std::int64_t round) const
{
    return normalRows(keys, m_source.latentShape(), m_seed, "rollout", static_cast<std::uint64_t>(round)).to(m_device);
}

void Rollout::begin(std::int64_t round, std::int64_t microBatch)
{
    if (!m_branches)
        return;
    std::vector<std::uint64_t> slots(static_cast<std::size_t>(m_settings.rollout.prompts));
    std::iota(slots.begin(), slots.end(), 0U);
    m_branches->begin(round, noise(slots, round), microBatch, m_dataRanks,
        [&](const std::vector<std::int64_t>& which, const at::Tensor& latents, std::int64_t step) {
            std::vector<std::int64_t> prompts;
            for (const std::int64_t slot : which)
                prompts.push_back(prompt(slot, round));
            const std::vector<RowStep> steps(which.size(), RowStep {step, 0.0});
            return this->step(latents, m_model.velocityAt(m_source.conditions(prompts), latents, timesteps(steps)), steps).mean;
        });
}

DrawnRows Rollout::plannedRows(std::int64_t first, std::int64_t count, std::int64_t round)
{
    DrawnRows drawn;
    for (std::int64_t row = first; row < first + count; ++row) {
        drawn.rows.push_back(static_cast<std::uint64_t>(row));
        drawn.prompts.push_back(prompt(m_settings.rollout.promptOf(row), round));
    }
    if (m_branches)
        planBranches(drawn, round);
    else if (!m_settings.isForward)
        drawn.windows = windows(drawn.rows, round);
    return drawn;
}

DrawnRows Rollout::draw(std::int64_t first, std::int64_t count, std::int64_t round)
{
    DrawnRows drawn = plannedRows(first, count, round);
    drawn.conditions = m_source.conditions(drawn.prompts);
    if (m_settings.isForward) {
        drawDeterministic(drawn, noise(drawn.rows, round));
    } else if (m_branches) {
        drawBranches(drawn, round);
    } else {
        std::vector<std::uint64_t> keys = drawn.rows;
        for (std::uint64_t& key : keys)
            key = m_settings.rollout.sharesNoise ? key / static_cast<std::uint64_t>(m_settings.rollout.samplesPerPrompt) : key;
        drawStochastic(drawn, noise(keys, round), 0, round);
    }
    return drawn;
}

void Rollout::planBranches(DrawnRows& drawn, std::int64_t round)
{
    m_branches->plan(round);
    std::vector<float> weights;
    for (const std::uint64_t row : drawn.rows) {
        drawn.windows.push_back(m_branches->stepOf(static_cast<std::int64_t>(row)));
        weights.push_back(static_cast<float>(m_branches->weight(static_cast<std::int64_t>(row))));
    }
    drawn.weights = at::tensor(weights, at::kFloat).unsqueeze(1).to(m_device);
}

void Rollout::drawBranches(DrawnRows& drawn, std::int64_t round) const
{
    // All ranks make as many passes as the one whose rows branch first.
    const auto first = static_cast<std::int64_t>(drawn.rows.front()), together = m_dataRanks.size() * static_cast<std::int64_t>(drawn.rows.size());
    const std::int64_t step = m_branches->firstStep(first - first % together);
    std::vector<at::Tensor> latents;
    for (const std::uint64_t row : drawn.rows)
        latents.push_back(m_branches->prefix(static_cast<std::int64_t>(row), step));
    drawStochastic(drawn, at::stack(latents), step, round);
}

DrawnRows Rollout::storedPairs(std::int64_t first, std::int64_t count, std::int64_t round)
{
    DrawnRows drawn;
    std::vector<std::int64_t> pairs;
    for (std::int64_t row = first; row < first + count; ++row) {
        drawn.rows.push_back(static_cast<std::uint64_t>(row));
        drawn.prompts.push_back(prompt(row / 2, round));
        if (row % 2 == 0)
            pairs.push_back(drawn.prompts.back());
    }
    drawn.conditions = m_source.conditions(drawn.prompts);
    drawn.clean = m_source.pairs(pairs);
    return drawn;
}

void Rollout::drawDeterministic(DrawnRows& drawn, at::Tensor latents) const
{
    for (std::int64_t step = 0; step < m_settings.rollout.steps; ++step) {
        const std::vector<RowStep> steps(drawn.rows.size(), RowStep {step, 0.0});
        latents = this->step(latents, m_model.velocityAt(drawn.conditions, latents, timesteps(steps)), steps).mean;
    }
    drawn.clean = latents;
}

void Rollout::drawStochastic(DrawnRows& drawn, at::Tensor latents, std::int64_t first, std::int64_t round) const
{
    std::vector<at::Tensor> all = {latents}, logProbs, means;
    for (std::int64_t step = first; step < m_settings.rollout.steps; ++step) {
        std::vector<RowStep> steps;
        for (const SdeWindow& window : drawn.windows)
            steps.push_back({step, window.contains(step) ? noiseLevel() : 0.0});
        const bool isStochastic = std::ranges::any_of(steps, [](const RowStep& row) { return row.noiseLevel > 0; });
        const Transition next = this->step(latents, m_model.velocityAt(drawn.conditions, latents, timesteps(steps)), steps);
        if (isStochastic) {
            const auto number = static_cast<std::uint64_t>(round * m_settings.rollout.steps + step);
            latents = nextLatents(next, normalRows(drawn.rows, m_source.latentShape(), m_seed, "rollout step", number).to(m_device));
            logProbs.push_back(logProbability(next, latents));
        } else {
            latents = next.mean;
            logProbs.push_back(at::zeros({latents.size(0)}, latents.options()));
        }
        all.push_back(latents);
        if (m_keepsMeans)
            means.push_back(next.mean);
    }
    drawn.latents = inWindows(all, drawn.windows, first, 1);
    drawn.logProbs = inWindows(logProbs, drawn.windows, first, 0);
    if (m_keepsMeans)
        drawn.means = inWindows(means, drawn.windows, first, 0);
    drawn.clean = latents;
}

Transition Rollout::step(const at::Tensor& latents, const at::Tensor& velocity, const std::vector<RowStep>& rows) const
{
    return transition(m_levels, m_stepping, latents, velocity, rows);
}

std::vector<double> Rollout::timesteps(const std::vector<RowStep>& rows) const
{
    std::vector<double> timesteps;
    for (const RowStep& row : rows)
        timesteps.push_back(m_levels.timesteps[static_cast<std::size_t>(row.step)]);
    return timesteps;
}

}  // namespace engine
