// The option tables, one per source file, in the order in which they are listed for users.
#pragma once
#include "engine/contract/experiment/options.h"

#include <vector>

namespace contract {

/// Alternative spellings for options that choose a dtype (row E-005).
inline constexpr Spelling kDtypeSpellings[] = {
    {"bfloat16", "bf16"}, {"float16", "fp16"}, {"16", "fp16"}, {"float32", "fp32"}, {"32", "fp32"}};

/// The minimum of numbers that must be above zero: ranges include their ends.
inline constexpr double kAboveZero = 1e-12;

/// Whenever an algorithm draws samples.
inline constexpr std::string_view kRollouts
    = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|distill|diffusion_nft|dpo|awm|dgpo";
/// When they are of an image model. The digits model has prompts and a reward of its own.
inline constexpr std::string_view kOnImages
    = "algorithm.name=flow_grpo|dance_grpo|mix_grpo|flow_dppo|grpo_guard|distill|diffusion_nft|dpo|awm|dgpo&model.name=diffusers|sd3";

std::vector<Option> runOptions();
std::vector<Option> modelOptions();
std::vector<Option> engineOptions();
std::vector<Option> optimizerOptions();
std::vector<Option> resultOptions();

std::vector<Option> promptOptions();
std::vector<Option> policyOptions();
std::vector<Option> forwardOptions();
std::vector<Option> rewardOptions();

}  // namespace contract
