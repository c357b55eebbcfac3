#include "engine/diffusion/forward_noising.h"
#include "engine/diffusion/pair_noising.h"
#include "engine/diffusion/training_timesteps.h"
#include "engine/rounds/experience.h"

#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

namespace engine {
namespace {

class NoisedExperience : public Experience {
public:
    NoisedExperience(const contract::PolicySettings& settings, const Rollout& rollout, std::uint64_t seed)
        : m_settings(settings)
        , m_rollout(rollout)
        , m_seed(seed)
    {
    }

    NamedTensors outputs(const TrainedRows& /*rows*/, std::int64_t /*timestep*/, const at::Tensor& velocity) const override
    {
        return {{"prediction", velocity}};
    }

protected:
    /// @param noise, noisy [b, …] of each timestep
    static void setLatents(TrainedRows& rows, const std::vector<at::Tensor>& noise, const std::vector<at::Tensor>& noisy)
    {
        rows.latents = at::stack(noisy, 1);
        rows.fields = {{"clean", rows.drawn.clean.unsqueeze(1).expand_as(rows.latents)}, {"noise", at::stack(noise, 1)}, {"noisy", rows.latents}};
    }
    const contract::PolicySettings& settings() const { return m_settings; }
    const Rollout& rollout() const { return m_rollout; }
    std::uint64_t seed() const { return m_seed; }

private:
    contract::PolicySettings m_settings;
    const Rollout& m_rollout;
    std::uint64_t m_seed;
};

/// Timesteps first, then noise for each of them.
class AtTimesteps : public NoisedExperience {
public:
    using NoisedExperience::NoisedExperience;

    TrainedRows rows(DrawnRows drawn, std::int64_t round) const override
    {
        TrainedRows rows {.drawn = std::move(drawn), .latents = {}, .timesteps = {}, .fields = {}};
        rows.timesteps = chosenTimesteps(rows.drawn.rows, round);
        const at::Tensor& clean = rows.drawn.clean;
        std::vector<at::Tensor> noises, noisies, times, values;
        for (std::int64_t timestep = 0; timestep < timesteps(); ++timestep) {
            values.push_back(at::tensor(rows.timesteps[static_cast<std::size_t>(timestep)], at::kFloat).to(clean.device()));
            noises.push_back(drawnNoise(clean, noiseKeys(rows.drawn.rows), seed(), static_cast<std::uint64_t>(round), noiseTimestep(timestep)));
            const NoisedLatents result
                = noised(clean, values.back(), noises.back(), static_cast<std::int64_t>(rollout().levels().trainTimesteps));
            noisies.push_back(result.noisy);
            times.push_back(result.times);
        }
        setLatents(rows, noises, noisies);
        rows.fields["times"] = at::stack(times, 1);
        rows.fields["timesteps"] = at::stack(values, 1);
        return rows;
    }

protected:
    /// @return [T][b]
    virtual std::vector<std::vector<double>> chosenTimesteps(const std::vector<std::uint64_t>& rows, std::int64_t round) const = 0;
    /// What noise is drawn by, in place of a row's number: rows of equal keys get equal noise.
    virtual std::vector<std::uint64_t> noiseKeys(const std::vector<std::uint64_t>& rows) const { return rows; }
    virtual std::int64_t noiseTimestep(std::int64_t timestep) const { return timestep; }
};

/// Some of the sampler's own timesteps, chosen for each row (row A-065).
class SamplerTimesteps final : public AtTimesteps {
public:
    using AtTimesteps::AtTimesteps;

    std::int64_t timesteps() const override { return keptOf(candidates()).size(1); }

protected:
    std::vector<std::vector<double>> chosenTimesteps(const std::vector<std::uint64_t>& rows, std::int64_t round) const override
    {
        std::vector<std::vector<double>> chosen(static_cast<std::size_t>(timesteps()));
        const auto rowsOfRound = static_cast<std::uint64_t>(settings().rollout.prompts * settings().rollout.samplesPerPrompt);
        for (const std::uint64_t row : rows) {
            const at::Tensor kept = keptOf(candidates(), seed() * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(round) * rowsOfRound + row);
            for (std::size_t i = 0; i < chosen.size(); ++i)
                chosen[i].push_back(kept.data_ptr<float>()[i]);
        }
        return chosen;
    }

private:
    at::Tensor candidates() const { return at::tensor(rollout().trainedSteps(), at::kFloat).unsqueeze(0); }
    at::Tensor keptOf(const at::Tensor& all, std::uint64_t seed = 0) const
    {
        return engine::chosenTimesteps(all, settings().forward.nftTimestepFraction, seed).contiguous();
    }
};

/// Timesteps from parts of a range, the same for all rows of a round; with DGPO the samples of a prompt share their noise, which is
/// the same at all timesteps (row A-146).
class StratifiedTimesteps final : public AtTimesteps {
public:
    StratifiedTimesteps(const contract::PolicySettings& settings, const Rollout& rollout, std::uint64_t seed)
        : AtTimesteps(settings, rollout, seed)
        , m_strata(strataWithin({.strategy = strataStrategy(settings.forward.timesteps.strategy), .count = settings.forward.timesteps.count,
                                    .lowest = settings.forward.timesteps.lowest, .highest = settings.forward.timesteps.highest,
                                    .shift = settings.forward.timesteps.shift},
              rollout.trainedTimesteps().lowest, rollout.trainedTimesteps().end))
        , m_sharesNoise(settings.algorithm == "dgpo")
    {
    }

    std::int64_t timesteps() const override { return m_strata.count; }

protected:
    std::vector<std::vector<double>> chosenTimesteps(const std::vector<std::uint64_t>& rows, std::int64_t round) const override
    {
        std::vector<std::vector<double>> chosen;
        for (const float timestep : drawnTimesteps(m_strata, rollout().trainedSteps(), seed(), static_cast<std::uint64_t>(round), 0))
            chosen.emplace_back(rows.size(), timestep);
        return chosen;
    }
    std::vector<std::uint64_t> noiseKeys(const std::vector<std::uint64_t>& rows) const override
    {
        std::vector<std::uint64_t> keys = rows;
        if (m_sharesNoise)
            std::ranges::transform(rows, keys.begin(),
                [&](std::uint64_t row) { return row / static_cast<std::uint64_t>(settings().rollout.samplesPerPrompt); });
        return keys;
    }
    std::int64_t noiseTimestep(std::int64_t timestep) const override { return m_sharesNoise ? 0 : timestep; }

private:
    TimestepStrata m_strata;
    bool m_sharesNoise;
};

/// One noise and one timestep of the training table for the two rows of each pair (rows ).
class PairedNoise final : public NoisedExperience {
public:
    PairedNoise(const contract::PolicySettings& settings, const Rollout& rollout, TrainingLevels levels, std::uint64_t seed)
        : NoisedExperience(settings, rollout, seed)
        , m_levels(std::move(levels))
    {
    }

    std::int64_t timesteps() const override { return settings().forward.timesteps.count; }

    TrainedRows rows(DrawnRows drawn, std::int64_t round) const override
    {
        TrainedRows rows {.drawn = std::move(drawn), .latents = {}, .timesteps = {}, .fields = {}};
        std::vector<std::uint64_t> pairs;
        for (std::size_t i = 0; i < rows.drawn.rows.size(); i += 2)
            pairs.push_back(rows.drawn.rows[i] / 2);
        std::vector<at::Tensor> noises, noisies;
        for (std::int64_t timestep = 0; timestep < timesteps(); ++timestep) {
            const NoisedPairs noised
                = drawnPairs(rows.drawn.clean, pairs, seed(), static_cast<std::uint64_t>(round * timesteps() + timestep), {}, m_levels);
            noises.push_back(noised.noise);
            noisies.push_back(noised.noisy);
            const float* const values = noised.timesteps.const_data_ptr<float>();
            rows.timesteps.emplace_back(values, values + noised.timesteps.numel());
        }
        setLatents(rows, noises, noisies);
        return rows;
    }

private:
    TrainingLevels m_levels;
};

}  // namespace

std::unique_ptr<Experience> noisedExperience(
    const contract::PolicySettings& settings, const Rollout& rollout, TrainingLevels levels, std::uint64_t seed)
{
    if (settings.arePairs())
        return std::make_unique<PairedNoise>(settings, rollout, std::move(levels), seed);
    if (settings.algorithm == "diffusion_nft")
        return std::make_unique<SamplerTimesteps>(settings, rollout, seed);
    return std::make_unique<StratifiedTimesteps>(settings, rollout, seed);
}

}  // namespace engine
