// Selects samples of a round to show: the best and the worst one of the prompts with the highest and lowest mean reward.
#pragma once
#include "engine/comm/group.h"
#include "engine/rounds/rollout.h"
#include "engine/rounds/rollout_source.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Chooses the samples, best first: two of the prompt with the highest mean reward, then two of the one with the lowest; with one
/// prompt two in all. Prompts and samples of equal rewards are in the order of their rows.
/// @param rewards [rows of the round] float32 on the CPU; those of a prompt are adjacent
/// @return empty when all rewards are equal; round, prompt and watchedReward are left unset
std::vector<RoundSample> bestAndWorst(const at::Tensor& rewards, std::int64_t samplesPerPrompt);

/// Passes these samples of a round to RolloutSource::show(). Collective.
/// @param drawn this rank's samples, of which RolloutSource::rewards() has scored all in this order
/// @param rewards as above, the same on all ranks
void showBestAndWorst(RolloutSource& source, std::int64_t round, const std::vector<DrawnRows>& drawn, const at::Tensor& rewards,
    std::int64_t samplesPerPrompt, Group& dataRanks, c10::Device device);

}  // namespace engine
