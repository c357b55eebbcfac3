// The pieces that diffusion transformers are made of. Each computes at once and records its way back.
// Dims: B samples, N tokens, D width.
#pragma once
#include "engine/model/tape.h"
#include "engine/shard/parameter.h"

#include <cstdint>

namespace engine {

/// x W^T + b. Gradients of W and b go straight into the unit's flat buffer.
/// @param x [..., in]; @param weight [out, in]; @param bias [out] → [..., out]
Var linear(Tape& tape, Var x, Parameter& weight, Parameter& bias);

/// LayerNorm(x) (1 + scale) + shift, without affine weights, eps 1e-6.
/// @param x [B, N, D]; @param modulation [B, parts · D], of which two parts are shift and scale
Var modulatedNorm(Tape& tape, Var x, Var modulation, std::int64_t shiftPart, std::int64_t scalePart);

/// x + gate h. @param x, h [B, N, D]; @param modulation as above
Var gatedAdd(Tape& tape, Var x, Var modulation, std::int64_t gatePart, Var h);

Var gelu(Tape& tape, Var x);  ///< tanh form
Var silu(Tape& tape, Var x);

/// x + rows first, first + 1 … of a table, the same for every sample.
/// @param x [B, N, D]; @param table [1, at least first + N, D]
Var addPositions(Tape& tape, Var x, Parameter& table, std::int64_t first);

/// x + the rows of a table. @param x [B, D]; @param table [rows, D]; @param index [B] int64
Var addEmbedding(Tape& tape, Var x, Parameter& table, const at::Tensor& index);

/// [cos(1000 t f), sin(1000 t f)], f_k = 10000^(-k/half), half = size / 2. @param t [B] float32 → [B, size]
at::Tensor sinusoid(const at::Tensor& t, std::int64_t size);

}  // namespace engine
