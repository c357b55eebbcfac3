// The options of algorithms that train on a round's samples as plain values, and the rules that span them; those of algorithms that
// train on noised samples are in forward_settings.h. Rows.
#pragma once
#include "engine/contract/experiment/correction_spec.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/experiment/forward_settings.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Of stochastic steps. dance_grpo and mix_grpo train with FlowGrpo's; distill has none beside the distance from its teacher.
enum class PolicyLoss { FlowGrpo, FlowDppo, GrpoGuard, None };
enum class StochasticKind { Sde, Cps, DanceSde };
enum class DistillMode { None, Kl, FlowMse };

struct RolloutSettings {
    std::int64_t prompts = 16, samplesPerPrompt = 8;  ///< of one round, on all ranks together
    std::int64_t steps = 10;
    double guidance = 1, noiseLevel = 1;
    StochasticKind kind = StochasticKind::Sde;
    std::int64_t windowSize = 0;                      ///< 0: all steps but the last are stochastic
    std::int64_t windowBegin = 0, windowEnd = 5;
    bool isWindowShared = false;                      ///< one window for all samples of a round (mix_grpo)
    bool windowMoves = false;                         ///< progressively, instead of being drawn
    std::int64_t windowRounds = 1;
    std::uint64_t windowSeed = 0;
    bool sharesNoise = false;                         ///< all samples of a prompt begin with the same noise
    std::int64_t keepEvery = 5;                       ///< rounds whose best and worst samples are kept; 0: none
    std::int64_t branchSteps = 0;                     ///< 0: samples share nothing; else each group of samples branches at one step
    bool isNoiseAware = true;                         ///< the loss of a branching step is weighted by its noise

    /// Rows of a round come group by group: samplesPerPrompt of each prompt, for each branching step in turn.
    std::int64_t rows() const { return prompts * samplesPerPrompt * (branchSteps > 0 ? branchSteps : 1); }
    std::int64_t promptOf(std::int64_t row) const { return row / samplesPerPrompt % prompts; }
    std::int64_t branchOf(std::int64_t row) const { return row / samplesPerPrompt / prompts; }  ///< counted from the round's first such step
};

struct PolicySettings {
    std::string algorithm = "flow_grpo";
    PolicyLoss loss = PolicyLoss::FlowGrpo;
    RolloutSettings rollout;

    bool dividesByStd = true, usesGlobalStd = true;  ///< of advantages
    double advantageLimit = 5;

    double clip = 1e-4;
    std::int64_t miniBatches = 1, epochs = 1;  ///< optimizer steps per round: their product
    bool shuffles = false;
    double dppoThreshold = 1e-5;
    bool dppoDividesByVariance = true;
    bool matchesReference = false;       ///< scales of flow_dppo and grpo_guard as the reference implementation has them (A-082)
    double klCoefficient = 0;            ///< 0: no reference
    bool klUsesDt = false;
    bool isReferenceAverage = false;     ///< the reference is the moving average, not the model at the start
    double klTarget = 0;                 ///< 0: klCoefficient stays
    std::string goldReward;              ///< watched, not trained on; empty: none
    std::int64_t goldPatience = 0;       ///< rounds without a gain in it, after which the run stops; 0: never

    DistillMode distill = DistillMode::None;
    double distillCoefficient = 1;
    std::string teacher;                 ///< folder of a pipeline

    bool recomputesOld = false;          ///< log-probabilities of a round, before its updates
    bool bypassesOldPolicy = false;      ///< rollout correction at each step of the update, by rejection only
    CorrectionTexts correction;

    ForwardSettings forward;
    bool isForward = false;  ///< trains on noised samples; rollouts have no stochastic steps

    /// Whether the best and worst samples of @p round, counted from 0, are kept as images.
    bool keepsSamplesOf(std::int64_t round) const { return rollout.keepEvery > 0 && round % rollout.keepEvery == 0; }
    bool arePairs() const { return algorithm == "dpo"; }
    /// Samples of a round that are trained on, on all ranks: all, or the best and the worst of each prompt.
    std::int64_t trainedSamples() const { return arePairs() ? rollout.prompts * 2 : rollout.rows(); }
    /// Whether passes over another copy of the weights are made: of the old policy, and of the model that training began from.
    bool keepsOld() const;
    bool keepsReference() const;
};

/// Whether @p algorithm, a value of algorithm.name, is one of those above.
bool isPolicyAlgorithm(std::string_view algorithm);

/// Whether samples are drawn for the prompts of rollout.prompt_file, so that no images are read.
bool usesPromptFile(const Experiment& experiment);

/// Reads the options. Values that depend on the algorithm's name are set by it: the loss, the kind of the stochastic steps when that
/// is "auto", and whether the window is shared.
PolicySettings policySettings(const OptionLookup& lookup);

PolicySettings policySettings(const Experiment& experiment);

/// The options that a round's samples and the order of its updates depend on, as text by their keys. A resume in the middle of a round
/// that changes one of them needs new samples.
std::map<std::string, std::string> roundOptions(const Experiment& experiment);

/// What contradicts itself in @p settings. Empty when a run can start.
std::vector<Problem> problemsOf(const PolicySettings& settings);

}  // namespace contract
