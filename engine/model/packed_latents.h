// Latents as rows of 2 × 2 squares, the form in which Flux and Qwen-Image take them (row M-014).
#pragma once
#include "engine/model/patches.h"
#include "engine/model/tape.h"

namespace engine {

constexpr std::int64_t kPackedEdge = 2;

/// [B, h w, C p p], channels first within a square → [B, C, h p, w p] float32
Var unpacked(Tape& tape, Var tokens, const PatchGrid& grid);

}  // namespace engine
