#include "engine/tasks/prompt_cache.h"

#include <ATen/TensorOperators.h>
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
    const std::set<std::string>& texts, Group& ranks, const PreparationProgress& reportProgress, const PromptEncoder* sharded) const
{
    const std::vector<std::string> all(texts.begin(), texts.end());
    std::vector<std::string> missing;
    for (const std::size_t i : missingItems(ranks, m_pipeline.device(), all.size(), [&](std::size_t i) { return m_cache.has(keyOf(all[i])); }))
        missing.push_back(all[i]);
    // Small enough that every rank has something to do.
    const auto size = static_cast<std::size_t>(ranks.size());
    const std::size_t each = std::clamp<std::size_t>((missing.size() + size - 1) / size, 1, PromptEncoder::kBatch);
    std::vector<std::span<const std::string>> batches;
    for (std::size_t first = 0; first < missing.size(); first += each)
        batches.push_back(std::span(missing).subspan(first, std::min(each, missing.size() - first)));
    if (sharded)
        encodeTogether(batches, ranks, reportProgress, *sharded);
    else
        divideAmong(ranks, m_pipeline.device(), batches.size(), ("texts, " + std::to_string(each) + " at a time").c_str(), reportProgress,
            [&](std::size_t i) {
                encodeBatch(nullptr, batches[i], batches[i].size());
                return true;
            });
    m_prepared->insert(texts.begin(), texts.end());
}

void PromptCache::encodeTogether(const std::vector<std::span<const std::string>>& batches, Group& ranks,
    const PreparationProgress& reportProgress, const PromptEncoder& sharded) const
{
    constexpr std::size_t kReportEvery = 3;
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    for (std::size_t begin = 0, round = 0; begin < batches.size(); begin += size, ++round) {
        if (round % kReportEvery == 0)
            reportProgress("encodes texts: " + std::to_string(begin * batches.front().size()) + " of about "
                + std::to_string(batches.size() * batches.front().size()));
        // A rank without a batch of its own left takes part with the last one.
        const auto& batch = batches[std::min(begin + rank, batches.size() - 1)];
        encodeBatch(&sharded, batch, begin + rank < batches.size() ? batch.size() : 0);
    }
    ranks.barrier("after encoding");
}

void PromptCache::encode(const std::vector<std::string>& texts) const
{
    std::vector<std::string> missing;
    for (const std::string& text : std::set<std::string>(texts.begin(), texts.end())) {
        if (!has(text))
            missing.push_back(text);
    }
    for (std::size_t first = 0; first < missing.size(); first += PromptEncoder::kBatch) {
        const std::size_t count = std::min(PromptEncoder::kBatch, missing.size() - first);
        encodeBatch(nullptr, std::span(missing).subspan(first, count), count);
    }
}

void PromptCache::encodeBatch(const PromptEncoder* encoder, std::span<const std::string> texts, std::size_t stored) const
{
    const PromptFeatures all = encoder ? encoder->encode(texts) : m_pipeline.features(texts);
    for (std::size_t i = 0; i < stored; ++i)
        store(texts[i], all.ofPrompt(static_cast<std::int64_t>(i)));
}

void PromptCache::store(const std::string& text, const PromptFeatures& features) const
{
    FeatureCache::Tensors tensors;
    tensors["embeds"] = features.embeds[0].to(at::kCPU, m_dtype);
    if (features.pooled.defined())
        tensors["pooled"] = features.pooled[0].to(at::kCPU, m_dtype);
    m_cache.write(keyOf(text), tensors);
}

PromptFeatures PromptCache::features(const std::string& text) const
{
    encode({text});
    const auto tensors = m_cache.read(keyOf(text), {"embeds"});
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
