#include "engine/tasks/computed_features.h"

#include "engine/contract/formats/safetensors.h"
#include "engine/data/feature_cache.h"

#include <ATen/ops/zeros_like.h>

#include <stdexcept>
#include <string>

namespace engine {
namespace {

// Tensor names in a precomputed sample.
constexpr char kLatents[] = "latents";                     // [C, h, w], scaled as the transformer expects
constexpr char kDeviation[] = "latents_deviation";         // [C, h, w]; optional, 0 by default
constexpr char kPrompt[] = "prompt_embeds";                // [L, D]; optional, else the caption is encoded
constexpr char kPooled[] = "pooled_prompt_embeds";         // [P]; only for pipelines with pooled features

/// @throws std::runtime_error unless the tensor exists, is floating-point, has @p dims dimensions and has size @p size in
///         dimension @p dim.
void requireTensor(const contract::SafetensorsFile& file, const char* name, std::size_t dims, std::int64_t dim, std::int64_t size)
{
    const auto* const tensor = file.find(name);
    const std::string where = file.path().string() + ": " + name;
    if (!tensor)
        throw std::runtime_error(where + " is missing");
    if (tensor->dtype != "F32" && tensor->dtype != "F16" && tensor->dtype != "BF16")
        throw std::runtime_error(where + " has dtype " + tensor->dtype + "; only F32, F16 and BF16 are supported");
    if (tensor->shape.size() != dims || tensor->elements() == 0)
        throw std::runtime_error(where + " has " + std::to_string(tensor->shape.size())
            + " dimensions or is empty; it must be non-empty with " + std::to_string(dims) + " dimensions");
    if (tensor->shape[static_cast<std::size_t>(dim)] != size)
        throw std::runtime_error(where + " has size " + std::to_string(tensor->shape[static_cast<std::size_t>(dim)]) + " in dimension "
            + std::to_string(dim) + "; the model needs " + std::to_string(size));
}

/// Returns the size in pixels of the image that the file's latents encode.
/// @throws std::runtime_error unless the latents are [C, h, w] with an even height and width of at most kMaxPixels pixels.
ImageSize imageSizeOf(const contract::SafetensorsFile& file, const DiffusionPipeline& pipeline)
{
    constexpr std::int64_t kProbePixels = 1024;  // a side that every pipeline's downscaling factor divides
    constexpr std::int64_t kMaxPixels = 64 * kProbePixels;
    const auto probe = pipeline.latentShape(kProbePixels, kProbePixels);
    requireTensor(file, kLatents, 3, 0, probe.front());
    const auto& shape = file.find(kLatents)->shape;
    if (file.find(kDeviation)) {
        requireTensor(file, kDeviation, 3, 0, probe.front());
        if (file.find(kDeviation)->shape != shape)
            throw std::runtime_error(file.path().string() + ": " + kDeviation + " must have the same shape as " + kLatents);
    }
    const std::int64_t factor = kProbePixels / probe.back();
    if (shape[1] > kMaxPixels / factor || shape[2] > kMaxPixels / factor || shape[1] % 2 != 0 || shape[2] % 2 != 0)
        throw std::runtime_error(file.path().string() + ": " + kLatents + " must have an even height and width of at most "
            + std::to_string(kMaxPixels / factor));
    return {static_cast<int>(shape[2] * factor), static_cast<int>(shape[1] * factor)};
}

}  // namespace

PrecomputedInfo readPrecomputedInfo(
    const std::filesystem::path& file, const DiffusionPipeline& pipeline, const std::function<PromptFeatures()>& exampleFeatures)
{
    const contract::SafetensorsFile opened(file);
    PrecomputedInfo info {imageSizeOf(opened, pipeline), opened.find(kPrompt) != nullptr};
    if (info.hasPrompt) {
        const PromptFeatures example = exampleFeatures();
        requireTensor(opened, kPrompt, 2, 1, example.embeds.size(2));
        if (example.pooled.defined())
            requireTensor(opened, kPooled, 1, 0, example.pooled.size(1));
    }
    return info;
}

ImageLatents readPrecomputedLatents(const std::filesystem::path& file)
{
    const auto tensors = FeatureCache::tensorsIn(file);
    const at::Tensor mean = tensors.at(kLatents).to(at::kFloat);
    const auto deviation = tensors.find(kDeviation);
    return {mean, deviation == tensors.end() ? at::zeros_like(mean) : deviation->second.to(at::kFloat), {}};
}

PromptFeatures readPrecomputedPrompt(const std::filesystem::path& file)
{
    const auto tensors = FeatureCache::tensorsIn(file);
    PromptFeatures features {tensors.at(kPrompt).to(at::kFloat).unsqueeze(0), {}, {}};
    if (const auto pooled = tensors.find(kPooled); pooled != tensors.end())
        features.pooled = pooled->second.to(at::kFloat).unsqueeze(0);
    return features;
}

}  // namespace engine
