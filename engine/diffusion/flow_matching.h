// Flow matching: the linear path from data to noise, and its velocity (Lipman et al., 2023).
#pragma once
#include "engine/shard/random.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// The distribution of the noise levels to train on.
struct SigmaRule {
    enum class Kind {
        Uniform,     ///< u ~ U(0, 1)
        LogitNormal  ///< u = 1 / (1 + e^-n), n ~ N(0, 1) (Esser et al., 2024)
    };
    Kind kind = Kind::Uniform;
    double shift = 1;  ///< σ = s u / (1 + (s - 1) u): more noise with s > 1
    double lowest = 0, highest = 1;  ///< σ is drawn from the distribution truncated to [lowest, highest)
};

/// Noised samples and their training targets.
struct NoisedRows {
    at::Tensor noisy;   ///< [B, …]: x_σ = (1 - σ) · x_0 + σ · noise
    at::Tensor target;  ///< [B, …]: velocity noise - x_0
    at::Tensor sigmas;  ///< [B] in [0, 1)
};

/// Noises each row of @p clean. Random draws depend only on (seed, step, row of the global batch), so they are the same on any
/// number of ranks.
/// @param clean [B, …] float32 on the CPU
/// @param rows [B] indices in the global batch
NoisedRows noiseRows(const at::Tensor& clean, const std::vector<std::uint64_t>& rows, std::uint64_t seed, std::uint64_t step,
    const SigmaRule& rule);

/// One training micro-batch.
struct FlowBatch : NoisedRows {
    at::Tensor labels = {};  ///< [B] int64; dropped ones are replaced by the null label
    at::Tensor prompt = {}, promptMask = {}, pooled = {}, guidance = {};  ///< as in ModelInput, for data with prompts
    at::Tensor weights = {};  ///< [B, 1, …] float32 loss weights; undefined: all 1
};

/// noiseRows() with the default rule; also replaces each label by @p nullLabel with probability @p labelDropout.
/// @param images [B, C, H, W] float32 on the CPU; @param labels [B] int64
FlowBatch noiseBatch(const at::Tensor& images, const at::Tensor& labels,
    const std::vector<std::uint64_t>& rows, std::uint64_t seed, std::uint64_t step,
    double labelDropout, std::int64_t nullLabel);

/// Standard normal float32 [B, shape…]; row i depends only on (seed, purpose, step, rows[i]).
at::Tensor normalRows(const std::vector<std::uint64_t>& rows, at::IntArrayRef shape,
    std::uint64_t seed, std::string_view purpose, std::uint64_t step);

struct FlowLoss {
    double value = 0;     ///< mean(weight · (velocity - target)²); 0 when it is in onDevice
    at::Tensor gradient;  ///< of the velocity, its shape, float32
    at::Tensor onDevice = {};  ///< [] float32: the value when the velocity is not on the CPU, so that the host need not wait for it
};

/// @param velocity, target [B, C, H, W] float32, contiguous
/// @param gradient memory for FlowLoss::gradient, used on the CPU without weights; undefined: allocates it
/// @param weights float32, broadcastable to @p velocity; undefined: all 1
FlowLoss flowLoss(const at::Tensor& velocity, const at::Tensor& target, at::Tensor gradient = {}, const at::Tensor& weights = {});

}  // namespace engine
