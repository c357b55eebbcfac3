// Small folders of diffusers pipelines that no golden case has: text encoders and autoencoders of the goldens, transformers with
// weights drawn here.
#pragma once
#include <filesystem>

namespace tests {

/// A FluxPipeline: latents of 16 channels, an eighth of the pictures' size.
/// @param root in which the folder is made @param isDistilled whether the transformer is told the guidance scale
std::filesystem::path makeFluxFolder(const std::filesystem::path& root, bool isDistilled);

/// A WanPipeline: latents of 4 channels, a quarter of the frames' size and of their number.
/// @param experts 1, or 2 transformers with a boundary between them as in Wan 2.2
std::filesystem::path makeWanFolder(const std::filesystem::path& root, int experts = 1);

/// The transformer of a Qwen-Image that edits pictures, alone: latents of 4 channels, prompts of 24 features, 4 heads.
/// @param isTimeless whether the pictures to begin from are told time 0 (zero_cond_t)
std::filesystem::path makeEditTransformer(const std::filesystem::path& root, bool isTimeless);

}  // namespace tests
