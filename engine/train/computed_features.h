// NAME.safetensors in place of a picture: latents, and perhaps text features, that another program has computed.
#pragma once
#include "engine/data/picture.h"
#include "engine/pipeline/diffusion_pipeline.h"

#include <filesystem>
#include <functional>

namespace engine {

struct PictureLatents {
    at::Tensor mean, deviation;  ///< [C, (f,) h, w] float32
    at::Tensor mask;             ///< [1, h, w] float32 in [0, 1]: how much of the loss counts; undefined: all, as of clips
};

struct ComputedForm {
    PictureSize size;        ///< of the picture that such latents are of
    bool hasPrompt = false;  ///< its prompt's features are there as well
};

/// Reads the header alone. @param like features of any prompt, asked for where the file has some
/// @throws std::runtime_error naming the file and what of it does not fit @p pipeline.
ComputedForm computedForm(const std::filesystem::path& file, const DiffusionPipeline& pipeline, const std::function<PromptFeatures()>& like);

// Of files that computedForm() has accepted. @throws std::runtime_error naming the file when it is damaged.
PictureLatents computedLatents(const std::filesystem::path& file);
PromptFeatures computedPrompt(const std::filesystem::path& file);  ///< [1, L, D] …, float32

}  // namespace engine
