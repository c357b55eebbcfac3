// Whether our engine and a peer trained the same model on the same data.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace bench {

/// Compares the losses and the gradient norms of all steps that both sides report, from the first step on: the root mean square of
/// their relative differences must be rounding. The models begin with open gates, so that every block and its attention count.
/// @param ours, peer lines of engine_bench_rank and tests/peers/fsdp2_dit.py
/// @param isBfloat16 both sides compute in bfloat16 and round differently; otherwise in float32
/// @throws std::runtime_error naming the case and the difference.
void requireEqualTraining(const nlohmann::json& ours, const nlohmann::json& peer, const std::string& what, bool isBfloat16);

/// The same for rounds of a policy's optimization, by their mean rewards and the gradient norms of all updates. Rounding in bfloat16
/// grows over the steps of a rollout, so that only float32 proves equal work.
void requireEqualRounds(const nlohmann::json& ours, const nlohmann::json& peer, const std::string& what, bool isBfloat16);

}  // namespace bench
