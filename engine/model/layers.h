// The pieces that diffusion transformers are made of. Each computes at once and records its way back.
// Dims: B samples, N tokens, D width.
#pragma once
#include "engine/model/kernels.h"
#include "engine/model/linear.h"
#include "engine/model/tape.h"
#include "engine/shard/parameter.h"

#include <cstdint>
#include <vector>

namespace engine {

/// LayerNorm(x) (1 + scale) + shift, without affine weights.
/// @param x [B, N, D]; @param modulation [B, parts · D], of which two parts are shift and scale
Var modulatedNorm(Tape& tape, Var x, Var modulation, std::int64_t shiftPart, std::int64_t scalePart,
    double epsilon = kNormEpsilon);

/// LayerNorm(x) weight + bias. @param x [B, N, D]; @param weight, bias [D]
Var layerNorm(Tape& tape, Var x, Parameter& weight, Parameter& bias, double epsilon = kNormEpsilon);

/// x / √(mean x² + ε) · weight. @param x [..., D]; @param weight [D]
Var rmsNorm(Tape& tape, Var x, Parameter& weight, double epsilon = kNormEpsilon);

/// x + gate h. @param x, h [B, N, D]; @param modulation as above
Var gatedAdd(Tape& tape, Var x, Var modulation, std::int64_t gatePart, Var h);

Var gelu(Tape& tape, Var x);  ///< tanh form
Var silu(Tape& tape, Var x);

/// x + rows first, first + 1 … of a table, the same for every sample.
/// @param x [B, N, D]; @param table [1, at least first + N, D]
Var addPositions(Tape& tape, Var x, Parameter& table, std::int64_t first);

Var add(Tape& tape, Var a, Var b);  ///< of one shape and dtype

/// x + table, the same for every sample. @param x [B, …]; @param table [1, …] of its dtype
Var addConstant(Tape& tape, Var x, const at::Tensor& table);

/// x as @p pieces, these in another order, and the result as @p shape and @p dtype: patches of pictures, and back.
Var permuted(Tape& tape, Var x, const std::vector<std::int64_t>& pieces, const std::vector<std::int64_t>& order,
    const std::vector<std::int64_t>& shape, at::ScalarType dtype);

/// One after the other along @p dim.
Var concatenated(Tape& tape, const std::vector<Var>& values, std::int64_t dim);

/// Indices first up to first + count of @p dim.
Var narrowed(Tape& tape, Var x, std::int64_t dim, std::int64_t first, std::int64_t count);

/// x + the rows of a table. @param x [B, D]; @param table [rows, D]; @param index [B] int64
Var addEmbedding(Tape& tape, Var x, Parameter& table, const at::Tensor& index);

/// [cos(scale t f), sin(scale t f)], f_k = 10000^(-k / (half - shift)), half = size / 2. @param t [B] float32 → [B, size]
at::Tensor sinusoid(const at::Tensor& t, std::int64_t size, double scale = 1000, double shift = 0);

}  // namespace engine
