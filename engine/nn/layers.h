// The layers of diffusion transformers. Each computes its output at once and records its backward function on the tape.
// Dims: B samples, N tokens, D width.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/kernels/layer_kernels.h"
#include "engine/nn/linear.h"
#include "engine/shard/parameter.h"

#include <cstdint>
#include <vector>

namespace engine {

/// LayerNorm(x) (1 + scale) + shift, without affine weights.
/// @param x [B, N, D]; @param modulation [B, parts · D], two parts of which are shift and scale
Var modulatedNorm(Tape& tape, Var x, Var modulation, std::int64_t shiftPart, std::int64_t scalePart,
    double epsilon = kNormEpsilon);

/// LayerNorm(x) weight + bias. @param x [B, N, D]; @param weight, bias [D]
Var layerNorm(Tape& tape, Var x, Parameter& weight, Parameter& bias, double epsilon = kNormEpsilon);

/// x / √(mean x² + ε) · weight. @param x [..., D]; @param weight [D]
Var rmsNorm(Tape& tape, Var x, Parameter& weight, double epsilon = kNormEpsilon);

/// x + gate h. @param x, h [B, N, D]; @param modulation as above
Var gatedAdd(Tape& tape, Var x, Var modulation, std::int64_t gatePart, Var h);

/// Tanh form. Nothing else may read @p x afterwards: when recording, its memory may get the derivative.
Var gelu(Tape& tape, Var x);
Var silu(Tape& tape, Var x);

/// x + rows [first, first + N) of a table, the same for every sample.
/// @param x [B, N, D]; @param table [1, at least first + N, D]
Var addPositions(Tape& tape, Var x, Parameter& table, std::int64_t first);

Var add(Tape& tape, Var a, Var b);  ///< both of the same shape and dtype

/// In float16, x with its elements clamped to the finite numbers, ±65504 (row M-013): an overflow has a finite value and no
/// gradient. x itself in other dtypes.
Var clampedInHalf(Tape& tape, Var x);

/// x + table, the same for every sample. @param x [B, …]; @param table [1, …] of the same dtype, without gradient
Var addConstant(Tape& tape, Var x, const at::Tensor& table);

/// Views x as the shape @p pieces, permutes the dims to @p order, and returns the result as @p shape in @p dtype: converts
/// images to patches and back.
Var permuted(Tape& tape, Var x, const std::vector<std::int64_t>& pieces, const std::vector<std::int64_t>& order,
    const std::vector<std::int64_t>& shape, at::ScalarType dtype);

/// Concatenates @p values along @p dim.
Var concatenated(Tape& tape, const std::vector<Var>& values, std::int64_t dim);

/// A copy of indices [first, first + count) of @p dim.
Var narrowed(Tape& tape, Var x, std::int64_t dim, std::int64_t first, std::int64_t count);

/// x + table[index]. @param x [B, D]; @param table [rows, D]; @param index [B] int64
Var addEmbedding(Tape& tape, Var x, Parameter& table, const at::Tensor& index);

/// [cos(scale t f), sin(scale t f)], f_k = 10000^(-k / (half - shift)), half = size / 2. @param t [B] float32 → [B, size]
at::Tensor sinusoid(const at::Tensor& t, std::int64_t size, double scale = 1000, double shift = 0);

}  // namespace engine
