#include "engine/train/prompt_cache.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>

#include <algorithm>
#include <span>
#include <utility>

namespace engine {

PromptCache::PromptCache(const DiffusionPipeline& pipeline, FeatureCache cache, std::string encoders, at::ScalarType dtype)
    : m_pipeline(pipeline)
    , m_cache(std::move(cache))
    , m_encoders(std::move(encoders))
    , m_dtype(dtype)
{
}

void PromptCache::prepare(
    const std::set<std::string>& texts, Group& ranks, const PreparationProgress& tell, const PromptEncoder* sharded) const
{
    const std::vector<std::string> all(texts.begin(), texts.end());
    const auto missing = missingAnywhere(ranks, m_pipeline.device(), all.size(), [&](std::size_t i) { return has(all[i]); });
    if (!sharded) {
        divideAmong(ranks, missing.size(), "texts", tell, [&](std::size_t i) { encode(all[missing[i]]); });
        return;
    }
    // All ranks take part in each turn: who has no text left helps with the last one.
    const auto size = static_cast<std::size_t>(ranks.size());
    divideAmong(ranks, (missing.size() + size - 1) / size * size, "texts", tell, [&](std::size_t i) {
        const std::string& text = all[missing[std::min(i, missing.size() - 1)]];
        const PromptFeatures features = sharded->encode(std::span(&text, 1));
        if (i < missing.size())
            keep(text, features);
    });
}

PromptFeatures PromptCache::encode(const std::string& text) const
{
    const PromptFeatures features = m_pipeline.features(std::span(&text, 1));
    keep(text, features);
    return features;
}

void PromptCache::keep(const std::string& text, const PromptFeatures& features) const
{
    FeatureCache::Tensors tensors;
    tensors["embeds"] = features.embeds[0].to(at::kCPU, m_dtype);
    if (features.pooled.defined())
        tensors["pooled"] = features.pooled[0].to(at::kCPU, m_dtype);
    m_cache.write(keyOf(text), tensors);
}

PromptFeatures PromptCache::features(const std::string& text) const
{
    if (!has(text))
        return encode(text);
    const auto tensors = m_cache.read(keyOf(text));
    PromptFeatures features {tensors.at("embeds").to(at::kFloat).unsqueeze(0), {}, {}};
    if (const auto pooled = tensors.find("pooled"); pooled != tensors.end())
        features.pooled = pooled->second.to(at::kFloat).unsqueeze(0);
    return features;
}

PromptFeatures stacked(const std::vector<PromptFeatures>& parts)
{
    std::int64_t longest = 0;
    for (const PromptFeatures& part : parts)
        longest = std::max(longest, part.embeds.size(1));
    std::vector<at::Tensor> embeds, masks, pooled;
    bool isRagged = false;
    for (const PromptFeatures& part : parts) {
        const std::int64_t length = part.embeds.size(1);
        isRagged |= length < longest;
        embeds.push_back(at::constant_pad_nd(part.embeds, {0, 0, 0, longest - length}));
        masks.push_back(at::arange(longest).lt(length).unsqueeze(0));
        if (part.pooled.defined())
            pooled.push_back(part.pooled);
    }
    return {at::cat(embeds), isRagged ? at::cat(masks) : at::Tensor(), pooled.empty() ? at::Tensor() : at::cat(pooled)};
}

}  // namespace engine
