// Advantages within the groups of samples that share a prompt. Rows.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Numbers the groups of rows with equal @p uids in the order in which they first appear: 0, 1, …
std::vector<std::int64_t> groupsOf(const std::vector<std::string>& uids);

struct AdvantageOptions {
    bool dividesByStd = true;
    bool usesGlobalStd = true;  ///< of all rewards; otherwise of the row's group
    double epsilon = 1e-4;      ///< added to the standard deviation
};

struct GroupAdvantages {
    at::Tensor advantages;        ///< in the shape of the rewards, float32 on the CPU
    std::int64_t groups = 0;
    std::int64_t flatGroups = 0;  ///< groups whose rewards are all equal, which teach nothing; those of one sample too
};

/// Returns (reward - mean of the group) / (std + epsilon), or only the numerator. Standard deviations are unbiased over all
/// entries; a group of one sample has advantage 0.
/// Groups and the global deviation span ranks, so that every rank passes the rewards of the whole global batch.
/// @param rewards [B], or [B, T] with one column per trained timestep; on the CPU
/// @param groups [B], numbers from groupsOf()
/// @throws std::invalid_argument for another shape, another number of groups, or a reward that is not finite.
GroupAdvantages groupAdvantages(const at::Tensor& rewards, const std::vector<std::int64_t>& groups, const AdvantageOptions& options);

}  // namespace engine
