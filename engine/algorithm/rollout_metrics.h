// Journal metrics of a rollout and its rewards. Rows.
#pragma once
#include "engine/algorithm/old_policy.h"
#include "engine/train/forward_steps.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace engine {

/// Tensors on the CPU, of the whole global batch.
struct RolloutData {
    at::Tensor rewards;                       ///< [B] or [B, T], of which each sample's mean counts
    at::Tensor advantages = {}, returns = {}; ///< [B, …], may be undefined
    std::vector<std::int64_t> groups = {};    ///< [B]; empty when unknown
};

/// Mean, highest and lowest reward, advantage and return; with groups also the spread within them ("critic/…").
NamedNumbers dataMetrics(const RolloutData& data);

/// The mean of each part of the reward ("critic/NAME/mean"). @param components [B] each, on the CPU
NamedNumbers componentMetrics(const NamedTensors& components);

/// Seconds of each stage, and for stages whose work grows with the samples milliseconds per sample; samples per second and device
/// when the seconds of "step" are given.
NamedNumbers perfMetrics(const std::map<std::string, double>& seconds, std::int64_t samples, std::int64_t devices);

/// What an update of the old policy did ("old_policy/…").
NamedNumbers oldPolicyMetrics(const OldPolicy::Update& update);

}  // namespace engine
