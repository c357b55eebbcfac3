// What an update trains on, made from a round's samples: the latents that are the model's input, and the values that the loss compares
// predictions with.
// Dims: b rows of a micro-batch, T timesteps that each is trained at.
#pragma once
#include "engine/algorithm/loss/group_preference.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/rounds/rollout.h"
#include "engine/train/forward_steps.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// The rows of one pass of this rank; tensors are on the device.
struct TrainedRows {
    DrawnRows drawn;                              ///< tensors that training does not need are undefined
    at::Tensor latents;                           ///< [b, T, C, H, W] float32
    std::vector<std::vector<double>> timesteps;   ///< T of b values
    NamedTensors fields;                          ///< [b, T, …], by the names in LossInputs::fields
    std::optional<GroupPreference> groups = {};   ///< for RolloutNeeds::wholeGroups
};

class Experience {
public:
    virtual ~Experience() = default;

    virtual std::int64_t timesteps() const = 0;  ///< T

    /// @param drawn rows of the round, or with PolicySettings::arePairs() rows of pairs
    virtual TrainedRows rows(DrawnRows drawn, std::int64_t round) const = 0;

    /// The outputs that a loss takes, computed from the velocity predicted at a timestep. Differentiable with respect to @p velocity.
    virtual NamedTensors outputs(const TrainedRows& rows, std::int64_t timestep, const at::Tensor& velocity) const = 0;
};

/// Stochastic steps of the samples' trajectories, with the log-probabilities of the policy that took them.
/// @p rollout must outlive the result.
std::unique_ptr<Experience> trajectoryExperience(const Rollout& rollout);

/// Clean samples with noise at timesteps that the algorithm chooses. Noise and timesteps depend on seed, round and row, on any number
/// of ranks. @p rollout must outlive the result.
std::unique_ptr<Experience> noisedExperience(
    const contract::PolicySettings& settings, const Rollout& rollout, TrainingLevels levels, std::uint64_t seed);

}  // namespace engine
