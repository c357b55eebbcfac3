// The losses of the PPO family on the log-probabilities of stochastic steps: Flow-GRPO (Liu et al., 2025), DanceGRPO (Xue et al.,
// 2025) and MixGRPO, whose loss is the same; Flow-DPPO; GRPO-Guard. Rows.
// Dims: B rows of a micro-batch at one timestep.
#pragma once
#include "engine/algorithm/loss/algorithm_loss.h"

namespace engine {

/// [B] float32 each.
struct PolicyRows {
    at::Tensor logProbs;      ///< of the stored steps under the model that trains, with the graph
    at::Tensor oldLogProbs;   ///< under the policy that sampled them
    at::Tensor advantages;
    at::Tensor weights = {};  ///< of each row's loss (row A-104); undefined: 1
};

/// Means of the stored steps, for the losses that look at how far they have moved.
struct StepMeans {
    at::Tensor mean;           ///< [B, …] float32, under the model that trains, with the graph
    at::Tensor oldMean;        ///< [B, …], under the policy that sampled
    at::Tensor transitionStd;  ///< [B, 1, …], [B] or []: of the whole step, with √-dt (row A-082)
    at::Tensor sqrtDt;         ///< [B] or []: √-dt
};

struct ClipOptions {
    double ratio = 1e-4;    ///< ratios are clipped to 1 ± this
    double advantage = 5;   ///< advantages are clamped to ± this
};

/// The clipped objective, also of DanceGRPO and MixGRPO (row A-080).
AlgorithmLoss flowGrpoLoss(const PolicyRows& rows, const ClipOptions& options);

struct DppoOptions {
    double threshold = 1e-5;           ///< divergence from which on a row that moves further away is left out
    bool dividesByVariance = true;     ///< the divergence is that of Gaussians; otherwise half the squared distance
};

/// The unclipped objective without the rows whose step has moved beyond the threshold in the direction of their advantage. The
/// divergence gives no gradient, and advantages are not clamped (row A-081).
AlgorithmLoss flowDppoLoss(const PolicyRows& rows, const StepMeans& means, const DppoOptions& options);

/// The clipped objective on ratios that are freed of the drift of the mean and scaled alike at all noise levels (row A-083).
/// Scales are each row's own (row A-084).
AlgorithmLoss grpoGuardLoss(const PolicyRows& rows, const StepMeans& means, const ClipOptions& options);

}  // namespace engine
