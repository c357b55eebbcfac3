// Creates small diffusers folders that the goldens do not contain: text encoders and autoencoders of the goldens, and
// transformers with random weights.
#pragma once
#include <filesystem>

namespace tests {

/// A FluxPipeline: latents of 16 channels, an eighth of the images' size.
/// @param root the parent of the new folder @param isDistilled whether the transformer takes the guidance scale as input
std::filesystem::path makeFluxFolder(const std::filesystem::path& root, bool isDistilled);

/// A WanPipeline: latents of 4 channels, a quarter of the frames' size and of their number.
/// @param experts 1, or 2 transformers with a boundary between them as in Wan 2.2
std::filesystem::path makeWanFolder(const std::filesystem::path& root, int experts = 1);

/// The transformer of a Qwen-Image that edits images, alone: latents of 4 channels, prompts of 24 features, 4 heads.
/// @param isTimeless whether the conditioning images get timestep 0 (zero_cond_t)
std::filesystem::path makeEditTransformer(const std::filesystem::path& root, bool isTimeless);

}  // namespace tests
