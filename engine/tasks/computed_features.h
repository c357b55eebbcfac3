// Precomputed training samples: a file NAME.safetensors, made by another program, that holds latents and optionally text
// features and takes the place of an image.
#pragma once
#include "engine/data/image.h"
#include "engine/pipeline/diffusion_pipeline.h"

#include <filesystem>
#include <functional>

namespace engine {

struct ImageLatents {
    at::Tensor mean, deviation;  ///< [C, (f,) h, w] float32
    at::Tensor mask;             ///< [1, h, w] float32 in [0, 1]: loss weight; undefined: 1 everywhere (videos)
};

/// What the header of a precomputed sample says.
struct PrecomputedInfo {
    ImageSize size;          ///< of the image that the latents encode, in pixels
    bool hasPrompt = false;  ///< whether the file also holds the prompt's features
};

/// Reads only the header of @p file.
/// @param exampleFeatures returns the features of any prompt, for their widths; called only if the file holds features
/// @throws std::runtime_error naming the file and the tensor that does not fit @p pipeline.
PrecomputedInfo readPrecomputedInfo(
    const std::filesystem::path& file, const DiffusionPipeline& pipeline, const std::function<PromptFeatures()>& exampleFeatures);

// For files that readPrecomputedInfo() has accepted. @throws std::runtime_error naming the file when it is damaged.
ImageLatents readPrecomputedLatents(const std::filesystem::path& file);
PromptFeatures readPrecomputedPrompt(const std::filesystem::path& file);  ///< [1, L, D] …, float32

}  // namespace engine
