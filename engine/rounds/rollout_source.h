// What training by a reward takes from a task: prompts, and rewards of the samples drawn for them.
#pragma once
#include "engine/diffusion/guided_sampler.h"
#include "engine/train/forward_steps.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// A sample of a round, with its rewards and ranks among the others.
struct RoundSample {
    std::int64_t round = 1;            ///< the first one is 1
    std::int64_t row = 0;              ///< its number in the round
    std::int64_t prompt = 0;           ///< the number of its prompt, see RolloutSource::prompts()
    double reward = 0;
    double promptReward = 0;           ///< mean over the samples of its prompt
    std::int64_t promptPlace = 1, prompts = 1;  ///< place of its prompt among those of the round, by mean reward; 1 is the best
    std::int64_t place = 1, samples = 1;        ///< its place among the samples of its prompt; 1 is the best
    std::optional<double> watchedReward = {};   ///< where a reward is watched
};

/// Gets a sample for the user. @param prompt its text
/// @param frames [F, C, H, W] float32 in [-1, 1] on the CPU: an image, or frames of a video
using SampleKeeper = std::function<void(const RoundSample& sample, const std::string& prompt, const at::Tensor& frames)>;

/// Timesteps from lowest up to, but not including, end.
struct TimestepRange {
    double lowest = 0, end = std::numeric_limits<double>::infinity();

    bool contains(double timestep) const { return lowest <= timestep && timestep < end; }
};

class RolloutSource {
public:
    virtual ~RolloutSource() = default;

    virtual std::int64_t prompts() const = 0;                     ///< number of prompts; they are numbered from 0
    virtual std::string promptsKey() const { return std::to_string(prompts()); }  ///< changes when the prompts do
    virtual std::vector<std::int64_t> latentShape() const = 0;    ///< of one sample: [C, H, W], or [C, F, H, W] of a video
    virtual NoiseLevels levels(std::int64_t steps) const = 0;     ///< of Euler steps
    virtual TrainingLevels trainingLevels() const = 0;            ///< of the same schedule, within trainedTimesteps()
    virtual TimestepRange trainedTimesteps() const { return {}; } ///< where the trained model predicts; elsewhere another one does
    virtual Guidance guidance() const { return Guidance::Classifier; }  ///< how the scale of rollout.guidance acts

    /// The model's inputs for samples of these prompts, on the device, with negatives when there is guidance. With
    /// Guidance::Distilled the scale is among them.
    virtual Conditions conditions(const std::vector<std::int64_t>& prompts) const = 0;

    /// Whether the data holds pairs of a preferred and a rejected sample, so that none are drawn: each prompt is that of a pair.
    virtual bool hasPairs() const { return false; }
    /// Samples of these pairs, the preferred one of each first: [2 p, C, H, W] float32 on the device.
    virtual at::Tensor pairs(const std::vector<std::int64_t>& /*prompts*/) const { return {}; }

    /// The prediction of the model that is in use outside of trainedTimesteps(). Collective.
    virtual at::Tensor otherPrediction(const ModelInput& /*input*/) { return {}; }

    /// The teacher's prediction for an input, where the experiment has a teacher. Collective.
    virtual at::Tensor teacherPrediction(const ModelInput& /*input*/) { return {}; }

    /// Scores clean samples. Collective, with equally many samples on all ranks. @param latents [b, C, H, W] on the device
    /// @param rows their numbers in the round
    /// @return [b] float32 on the CPU, finite; it may have its values only after finishRewards()
    virtual at::Tensor rewards(
        const at::Tensor& latents, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& prompts) = 0;

    /// Waits until rewards() may get further samples, or with @p all until all samples have their scores; not longer than @p patience.
    /// Collective. @return whether that is so on all ranks; the same on all @throws what a reward throws
    virtual bool awaitRewards(bool /*all*/, std::chrono::milliseconds /*patience*/) { return true; }

    /// Waits for the scores of all samples of a round. Collective.
    virtual void finishRewards() { }

    /// Drops the round's samples and ends the waiting for their scores. No other round may follow.
    virtual void abandonRewards() { }

    /// The watched reward of each sample that this rank has scored since takeRewardMeans(), in the order of the calls of rewards(): [n] on
    /// the CPU. Undefined when no reward is watched.
    virtual at::Tensor watchedRewards() const { return {}; }

    /// Shows samples to the user. Called on all ranks, but not a collective: one rank shows its samples.
    /// @param latents [samples, C, H, W] float32 on the device, the same on all ranks
    virtual void show(const std::vector<RoundSample>& /*samples*/, const at::Tensor& /*latents*/) { }

    /// Mean of each reward over the round's samples, and of the watched one as kGoldReward. The same on all ranks. Collective.
    virtual NamedNumbers takeRewardMeans() { return {}; }
};

}  // namespace engine
