// What a transformer's own authors call the layers that diffusers calls otherwise: files for other programs use their names.
#pragma once
#include <string>

namespace contract {

/// "blocks.0.self_attn.q" for Wan's "blocks.0.attn1.to_q"; @p module itself where the names are the same, or where several
/// layers of diffusers' are one of the authors' (Stable Diffusion 3, Flux).
std::string originalName(const std::string& module);

}  // namespace contract
