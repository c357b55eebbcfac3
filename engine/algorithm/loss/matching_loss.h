// Losses of the forward process that need no log-probabilities of steps: advantage-weighted matching (Xue et al., 2025) and
// DGPO (Luo et al., 2025). Rows. Both noise clean samples of any sampler: target = noise - clean.
#pragma once
#include "engine/algorithm/loss/algorithm_loss.h"
#include "engine/algorithm/loss/group_preference.h"

#include <string_view>

namespace engine {

/// How the error counts at a noise level, in matchingLogProbs().
enum class MatchingWeight { Uniform, Time, TimeSquared, Huber, GeneralizedHuber };

/// The weight that @p name names: "Uniform", "t", "t**2", "huber" or "ghuber".
/// @throws EngineError WrongUsage for another name, listing these.
MatchingWeight matchingWeight(std::string_view name);

struct MatchingOptions {
    MatchingWeight weight = MatchingWeight::Uniform;
    double huberPower = 0.25;                               ///< of GeneralizedHuber
    double lowestClip = -1e-4, highestClip = 1e-4;          ///< of a ratio, relative to 1
    double lowestAdvantage = -5, highestAdvantage = 5;
    double referenceCoefficient = 0, emaCoefficient = 0;    ///< of the squared distances from other predictions; 0: not computed
};

/// Stands for a log-probability: minus a row's mean squared error, weighted (row A-140). Computed in float64.
/// @param timesteps [B] in [0, 1000] @return [B] float32
at::Tensor matchingLogProbs(const at::Tensor& prediction, const at::Tensor& target, const at::Tensor& timesteps, const MatchingOptions& options);

struct MatchingRows {
    at::Tensor prediction;                ///< [B, …], with the graph
    at::Tensor target;                    ///< [B, …]
    at::Tensor timesteps;                 ///< [B]
    at::Tensor oldLogProbs;               ///< [B], matchingLogProbs() of the sampling policy at the same noise and timesteps
    at::Tensor advantages;                ///< [B]
    at::Tensor referencePrediction = {};  ///< needed when its coefficient is not 0; gets no gradient
    at::Tensor emaPrediction = {};
};

/// Advantage-weighted matching (rows ).
AlgorithmLoss matchingLoss(const MatchingRows& rows, const MatchingOptions& options);

struct GroupMatchingOptions {
    double beta = 100;                                  ///< strength of the preference within a group
    double lowestClip = -1e-4, highestClip = 1e-4;      ///< of a ratio, relative to 1
    double lowestAdvantage = -5, highestAdvantage = 5;
    bool clipsLoss = false;                             ///< clipped rows give no gradient (clip_dsm)
    bool clipsPenalty = false;                          ///< nor in the penalty (clip_kl)
    double referenceCoefficient = 0;                    ///< of the squared distance from the reference
    bool anchorsAtOld = false;                          ///< errors are compared with those of the old policy (use_ema_ref)
};

struct GroupMatchingRows {
    at::Tensor prediction;           ///< [B, …], with the graph
    at::Tensor target;               ///< [B, …]
    at::Tensor referencePrediction;  ///< of the frozen reference; gets no gradient; not needed with anchorsAtOld and no penalty
    at::Tensor oldPrediction = {};   ///< needed for clipping and for anchorsAtOld; gets no gradient
    at::Tensor advantages;           ///< [B]
};

struct GroupMatchingLoss : AlgorithmLoss {
    at::Tensor groupWeights;  ///< [B]: the weight of each row's group
};

/// DGPO (rows ). Collective over the ranks that @p groups was made for.
GroupMatchingLoss groupMatchingLoss(const GroupMatchingRows& rows, const GroupPreference& groups, const GroupMatchingOptions& options);

}  // namespace engine
