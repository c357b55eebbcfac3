// Flow matching: the straight path from data to noise and its velocity (Lipman et al., 2023).
#pragma once
#include "engine/shard/random.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// Which noise levels are trained.
struct SigmaRule {
    enum class Kind {
        Uniform,     ///< u ~ U(0, 1)
        LogitNormal  ///< u = 1 / (1 + e^-n), n ~ N(0, 1) (Esser et al., 2024)
    };
    Kind kind = Kind::Uniform;
    double shift = 1;  ///< σ = s u / (1 + (s - 1) u): more noise with s > 1
    double lowest = 0, highest = 1;  ///< σ is drawn from [lowest, highest), where the others lie as if all were
};

/// Clean rows after noising.
struct NoisedRows {
    at::Tensor noisy;   ///< [B, …]: x_σ = (1 - σ) · x_0 + σ · noise
    at::Tensor target;  ///< [B, …]: velocity noise - x_0
    at::Tensor sigmas;  ///< [B] in [0, 1)
};

/// All draws are keyed by (seed, step, row of the global batch): the same on any number of ranks.
/// @param clean [B, …] float32 CPU
/// @param rows of the global batch, B of them
NoisedRows noiseRows(const at::Tensor& clean, const std::vector<std::uint64_t>& rows, std::uint64_t seed, std::uint64_t step,
    const SigmaRule& rule);

/// One training micro-batch.
struct FlowBatch : NoisedRows {
    at::Tensor labels = {};  ///< [B], some replaced by the null label
    at::Tensor prompt = {}, promptMask = {}, pooled = {}, guidance = {};  ///< as in ModelInput, where the data are described in words
    at::Tensor weights = {};  ///< [B, 1, …] float32, of the loss; undefined: all 1
};

/// @param images [B, C, H, W] float32 CPU, @param labels [B] int64
FlowBatch noiseBatch(const at::Tensor& images, const at::Tensor& labels,
    const std::vector<std::uint64_t>& rows, std::uint64_t seed, std::uint64_t step,
    double labelDropout, std::int64_t nullLabel);

/// Standard normal float32 [rows, shape…] keyed like the above.
at::Tensor normalRows(const std::vector<std::uint64_t>& rows, at::IntArrayRef shape,
    std::uint64_t seed, std::string_view purpose, std::uint64_t step);

struct FlowLoss {
    double value = 0;     ///< mean(weight · (velocity - target)²)
    at::Tensor gradient;  ///< of the velocity, its shape, float32
};

/// @param velocity, target [B, C, H, W] float32, contiguous
/// @param gradient memory for the result, like the others; undefined: new memory. With it the CPU asks for none.
/// @param weights float32, of a shape that spreads to theirs; undefined: all 1
FlowLoss flowLoss(const at::Tensor& velocity, const at::Tensor& target, at::Tensor gradient = {}, const at::Tensor& weights = {});

}  // namespace engine
