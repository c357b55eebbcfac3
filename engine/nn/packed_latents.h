// Latents packed into rows of 2 × 2 squares, the input format of Flux and Qwen-Image (row M-014).
#pragma once
#include "engine/autograd/tape.h"
#include "engine/nn/patches.h"

namespace engine {

constexpr std::int64_t kPackedEdge = 2;

/// Unpacks [B, h w, C p p], channels first within a square, → [B, C, h p, w p] float32
Var unpacked(Tape& tape, Var tokens, const PatchGrid& grid);

}  // namespace engine
