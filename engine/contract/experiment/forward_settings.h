// The options of algorithms that train on noised samples (diffusion_nft, dpo, awm, dgpo) as plain values, and the rules that span
// them. Rows.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Returns the value of an option. The result must stay valid.
using OptionLookup = std::function<const OptionValue&(std::string_view key)>;

/// How the weights that sample follow those that train (row E-099). Counted in rounds.
struct OldPolicySettings {
    std::string schedule = "copy";
    std::optional<double> decay;  ///< takes the schedule's place
    std::int64_t every = 1;
};

/// Timesteps to train at, one from each of `count` parts of a range (row A-146).
struct TimestepSettings {
    std::string strategy = "logit_normal";
    std::int64_t count = 4;
    double lowest = 0, highest = 0.9, shift = 3;
};

struct ForwardSettings {
    OldPolicySettings old;
    TimestepSettings timesteps;

    // diffusion_nft
    double nftBeta = 0.5, nftSmallestWeight = 1e-5;
    std::string nftAdvantages = "continuous";
    double nftTimestepFraction = 1;

    bool hasStoredPairs = false;  ///< of preferred and rejected images in the data, instead of samples
    double dpoBeta = 2000;

    // awm
    std::string awmWeight = "Uniform";
    double awmHuberPower = 0.25, awmAverageCoefficient = 0;

    // dgpo
    double dgpoBeta = 100;
    bool dgpoClipsLoss = false, dgpoClipsPenalty = false, dgpoAnchorsAtOld = false;
    std::int64_t dgpoSwitchRound = 200;  ///< after it samples come from the old policy
};

/// Whether @p algorithm, a value of algorithm.name, trains on noised samples.
bool isForwardAlgorithm(std::string_view algorithm);

ForwardSettings forwardSettings(const OptionLookup& lookup);

/// What contradicts itself in @p settings. Empty when a run can start.
std::vector<Problem> problemsOf(const ForwardSettings& settings);

}  // namespace contract
