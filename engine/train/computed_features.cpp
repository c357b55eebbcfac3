#include "engine/train/computed_features.h"

#include "engine/contract/safetensors.h"
#include "engine/data/feature_cache.h"

#include <ATen/ops/zeros_like.h>

#include <stdexcept>
#include <string>

namespace engine {
namespace {

// Names in such a file.
constexpr char kLatents[] = "latents";                     // [C, h, w] as the transformer takes them
constexpr char kDeviation[] = "latents_deviation";         // [C, h, w]; may be missing: 0
constexpr char kPrompt[] = "prompt_embeds";                // [L, D]; may be missing: the caption is encoded
constexpr char kPooled[] = "pooled_prompt_embeds";         // [P]; where the pipeline has such

/// @throws std::runtime_error unless it is there with @p dims dimensions, floating-point, and dimension @p dim has @p size numbers.
void requireTensor(const contract::SafetensorsFile& file, const char* name, std::size_t dims, std::int64_t dim, std::int64_t size)
{
    const auto* const tensor = file.find(name);
    const std::string where = file.path().string() + ": " + name;
    if (!tensor)
        throw std::runtime_error(where + " is missing");
    if (tensor->dtype != "F32" && tensor->dtype != "F16" && tensor->dtype != "BF16")
        throw std::runtime_error(where + " is of dtype " + tensor->dtype + "; F32, F16 and BF16 are read");
    if (tensor->shape.size() != dims || tensor->elements() == 0)
        throw std::runtime_error(where + " has " + std::to_string(tensor->shape.size()) + " dimensions, or none of a size; it should have " + std::to_string(dims));
    if (tensor->shape[static_cast<std::size_t>(dim)] != size)
        throw std::runtime_error(where + " has " + std::to_string(tensor->shape[static_cast<std::size_t>(dim)]) + " numbers in dimension "
            + std::to_string(dim) + "; the model takes " + std::to_string(size));
}

/// Of latents. [C, h, w] with an even height and width, not too large.
PictureSize pictureSizeOf(const contract::SafetensorsFile& file, const DiffusionPipeline& pipeline)
{
    constexpr std::int64_t kSome = 1024;  // pixels that every pipeline's latents divide
    constexpr std::int64_t kMost = 64 * kSome;
    const auto some = pipeline.latentShape(kSome, kSome);
    requireTensor(file, kLatents, 3, 0, some.front());
    const auto& shape = file.find(kLatents)->shape;
    if (file.find(kDeviation)) {
        requireTensor(file, kDeviation, 3, 0, some.front());
        if (file.find(kDeviation)->shape != shape)
            throw std::runtime_error(file.path().string() + ": " + kDeviation + " is of another shape than " + kLatents);
    }
    const std::int64_t factor = kSome / some.back();
    if (shape[1] > kMost / factor || shape[2] > kMost / factor || shape[1] % 2 != 0 || shape[2] % 2 != 0)
        throw std::runtime_error(file.path().string() + ": " + kLatents + " must have an even height and width, not too large");
    return {static_cast<int>(shape[2] * factor), static_cast<int>(shape[1] * factor)};
}

}  // namespace

ComputedForm computedForm(const std::filesystem::path& file, const DiffusionPipeline& pipeline, const std::function<PromptFeatures()>& like)
{
    const contract::SafetensorsFile opened(file);
    ComputedForm form {pictureSizeOf(opened, pipeline), opened.find(kPrompt) != nullptr};
    if (form.hasPrompt) {
        const PromptFeatures usual = like();
        requireTensor(opened, kPrompt, 2, 1, usual.embeds.size(2));
        if (usual.pooled.defined())
            requireTensor(opened, kPooled, 1, 0, usual.pooled.size(1));
    }
    return form;
}

PictureLatents computedLatents(const std::filesystem::path& file)
{
    const auto tensors = FeatureCache::tensorsIn(file);
    const at::Tensor mean = tensors.at(kLatents).to(at::kFloat);
    const auto deviation = tensors.find(kDeviation);
    return {mean, deviation == tensors.end() ? at::zeros_like(mean) : deviation->second.to(at::kFloat), {}};
}

PromptFeatures computedPrompt(const std::filesystem::path& file)
{
    const auto tensors = FeatureCache::tensorsIn(file);
    PromptFeatures features {tensors.at(kPrompt).to(at::kFloat).unsqueeze(0), {}, {}};
    if (const auto pooled = tensors.find(kPooled); pooled != tensors.end())
        features.pooled = pooled->second.to(at::kFloat).unsqueeze(0);
    return features;
}

}  // namespace engine
