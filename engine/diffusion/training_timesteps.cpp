#include "engine/diffusion/training_timesteps.h"

#include "engine/contract/formats/text.h"
#include "engine/shard/random.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/special_ndtri.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace engine {
namespace {

using Strategy = TimestepStrata::Strategy;

constexpr double kNoiseTimestep = 1000;

double shiftedFraction(double fraction, double shift) { return shift * fraction / (1 + (shift - 1) * fraction); }

/// @param place in (0, 1), of a stratified draw
double timestepAt(const TimestepStrata& strata, double place)
{
    const auto inRange = [&](double part) { return strata.lowest + part * (strata.highest - strata.lowest); };
    if (strata.strategy == Strategy::Uniform)
        return kNoiseTimestep * (1 - shiftedFraction(inRange(place), strata.shift));
    constexpr double kMargin = 1e-7, kLeast = 0.01, kMost = 1 - 1e-6;
    const double normal = at::special_ndtri(at::scalar_tensor(std::clamp(place, kMargin, 1 - kMargin), at::kDouble)).item<double>();
    return kNoiseTimestep * (1 - inRange(std::clamp(shiftedFraction(1 / (1 + std::exp(-normal)), strata.shift), kLeast, kMost)));
}

/// Indices [first, last] of the table's timesteps in the range.
std::pair<std::int64_t, std::int64_t> indicesInRange(const TimestepStrata& strata, const std::vector<float>& table)
{
    constexpr double kSlack = 1e-3;
    const double least = kNoiseTimestep * (1 - strata.highest) - kSlack, most = kNoiseTimestep * (1 - strata.lowest) + kSlack;
    const auto isInRange = [&](float timestep) { return least <= timestep && timestep <= most; };
    const auto first = std::ranges::find_if(table, isInRange);
    if (first == table.end())
        throw std::invalid_argument("none of the sampler's " + std::to_string(table.size()) + " timesteps lies between "
            + contract::shortestText(least + kSlack) + " and " + contract::shortestText(most - kSlack));
    const auto last = std::find_if(table.rbegin(), table.rend(), isInRange);
    return {first - table.begin(), table.rend() - last - 1};
}

std::vector<float> fromTable(const TimestepStrata& strata, const std::vector<float>& uniforms, const std::vector<float>& table)
{
    auto [first, last] = indicesInRange(strata, table);
    std::vector<float> timesteps;
    if (strata.strategy == Strategy::DiscreteWithFirst)
        timesteps.push_back(table[static_cast<std::size_t>(first)]);
    if (strata.strategy != Strategy::Discrete)
        first = std::min(first + 1, last);
    const auto strataCount = static_cast<double>(uniforms.size());
    for (std::size_t i = 0; i < uniforms.size(); ++i) {
        const auto bound = [&, from = first, to = last](std::size_t number) {
            return from + static_cast<std::int64_t>(std::floor(static_cast<double>(number) * static_cast<double>(to - from) / strataCount));
        };
        const auto lower = bound(i), upper = bound(i + 1);
        const auto index = lower + static_cast<std::int64_t>(std::floor(uniforms[i] * static_cast<float>(upper - lower)));
        timesteps.push_back(table[static_cast<std::size_t>(index)]);
    }
    return timesteps;
}

void requireUsable(const TimestepStrata& strata)
{
    if (strata.count < 1)
        throw std::invalid_argument("the number of training timesteps is " + std::to_string(strata.count) + "; it must be at least 1");
    if (!(0 <= strata.lowest && strata.lowest < strata.highest && strata.highest <= 1))
        throw std::invalid_argument("the range of training timesteps is [" + contract::shortestText(strata.lowest) + ", "
            + contract::shortestText(strata.highest) + "]; it must ascend and lie in [0, 1]");
    if (!(strata.shift > 0))
        throw std::invalid_argument("the shift of training timesteps is " + contract::shortestText(strata.shift) + "; it must be above 0");
}

}  // namespace

at::Tensor chosenTimesteps(const at::Tensor& candidates, double fraction, std::uint64_t seed)
{
    if (candidates.dim() != 2 || candidates.size(0) == 0 || candidates.size(1) == 0)
        throw std::invalid_argument("training timesteps have " + std::to_string(candidates.dim()) + " dims; candidates must be [B, T], at least one of each");
    if (!(fraction > 0 && fraction <= 1))
        throw std::invalid_argument("timestep_fraction is " + contract::shortestText(fraction) + "; it must be above 0 and at most 1");
    const std::int64_t all = candidates.size(1);
    const auto kept = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(all) * fraction));
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    std::vector<at::Tensor> rows;
    for (std::int64_t row = 0; row < candidates.size(0); ++row)
        rows.push_back(candidates.select(0, row).index_select(0, at::randperm(all, generator, at::kLong).narrow(0, 0, kept)));
    return at::stack(rows);
}

TimestepStrata::Strategy strataStrategy(std::string_view name)
{
    for (const auto& [known, strategy] : {std::pair("uniform", Strategy::Uniform), std::pair("logit_normal", Strategy::LogitNormal),
             std::pair("discrete", Strategy::Discrete), std::pair("discrete_with_init", Strategy::DiscreteWithFirst),
             std::pair("discrete_wo_init", Strategy::DiscreteNoFirst)}) {
        if (name == known)
            return strategy;
    }
    throw std::invalid_argument("there is no timestep strategy \"" + std::string(name)
        + "\"; known: uniform, logit_normal, discrete, discrete_with_init, discrete_wo_init");
}

TimestepStrata strataWithin(TimestepStrata strata, double least, double most)
{
    if (least <= 0 && most >= kNoiseTimestep)
        return strata;
    // Uniform shifts what the range gives.
    const double shift = strata.strategy == Strategy::Uniform ? strata.shift : 1;
    const auto bound = [&](double timestep) {
        const double fraction = std::clamp(1 - timestep / kNoiseTimestep, 0.0, 1.0);
        return fraction / (shift - (shift - 1) * fraction);
    };
    const TimestepStrata asked = strata;
    strata.lowest = std::max(strata.lowest, bound(most));
    strata.highest = std::min(strata.highest, bound(least));
    if (strata.lowest >= strata.highest)
        throw std::invalid_argument("the range of training timesteps is [" + contract::shortestText(asked.lowest) + ", "
            + contract::shortestText(asked.highest) + "], in which the trained model makes no steps");
    return strata;
}

std::vector<float> stratifiedTimesteps(const TimestepStrata& strata, const std::vector<float>& uniforms,
    const std::vector<std::int64_t>& permutation, const std::vector<float>& table)
{
    requireUsable(strata);
    if (static_cast<std::int64_t>(uniforms.size()) != strata.draws())
        throw std::invalid_argument(std::to_string(strata.count) + " training timesteps need " + std::to_string(strata.draws()) + " draws, not "
            + std::to_string(uniforms.size()));
    if (strata.usesTable())
        return fromTable(strata, uniforms, table);
    std::vector<float> timesteps;
    for (const std::int64_t stratum : permutation)
        timesteps.push_back(static_cast<float>(timestepAt(strata,
            (static_cast<double>(stratum) + static_cast<double>(uniforms.at(static_cast<std::size_t>(stratum)))) / static_cast<double>(strata.count))));
    return timesteps;
}

std::vector<float> drawnTimesteps(const TimestepStrata& strata, const std::vector<float>& table, std::uint64_t seed, std::uint64_t round,
    std::uint64_t innerEpoch)
{
    requireUsable(strata);
    const RandomKey key {.seed = seed, .purpose = "training timesteps", .step = round, .row = innerEpoch};
    std::vector<float> uniforms(static_cast<std::size_t>(strata.draws()));
    fillUniform(uniforms, key);
    const at::Tensor order = at::randperm(strata.count, at::detail::createCPUGenerator(streamSeed(key)), at::kLong);
    const auto* const first = order.const_data_ptr<std::int64_t>();
    return stratifiedTimesteps(strata, uniforms, {first, first + strata.count}, table);
}

}  // namespace engine
