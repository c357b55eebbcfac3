// Text features of prompts. All ranks together encode them once; later reads come from a cache.
#pragma once
#include "engine/data/feature_cache.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/tasks/shared_preparation.h"

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// Any thread may read; only one thread at a time may encode.
class PromptCache {
public:
    /// @param pipeline must outlive this object
    /// @param encoders identifies the set of encoders; part of every key
    /// @param dtype dtype of the features in the cache
    PromptCache(const DiffusionPipeline& pipeline, FeatureCache cache, std::string encoders, at::ScalarType dtype);

    /// Encodes the texts that the cache lacks. Collective: all ranks must pass the same texts.
    /// @param sharded encoders whose weights are sharded over @p ranks; nullptr: each rank uses the pipeline's own encoders
    void prepare(const std::set<std::string>& texts, Group& ranks, const PreparationProgress& reportProgress,
        const PromptEncoder* sharded = nullptr) const;

    /// Whether features() can read without encoding.
    bool has(const std::string& text) const { return m_prepared->contains(text) || m_cache.has(keyOf(text)); }

    /// Encodes the texts that the cache lacks, PromptEncoder::kBatch at a time. Not collective.
    void encode(const std::vector<std::string>& texts) const;

    /// Returns the features of one text, [1, L, D] …, float32: from the cache, or encoded now and then cached.
    PromptFeatures features(const std::string& text) const;

    static std::string keyOf(const std::string& encoders, const std::string& text) { return FeatureCache::keyOf(encoders + "\ntext " + text); }

private:
    std::string keyOf(const std::string& text) const { return keyOf(m_encoders, text); }
    /// Encodes @p texts in one pass and stores the features of the first @p stored of them.
    void encodeBatch(const PromptEncoder* encoder, std::span<const std::string> texts, std::size_t stored) const;
    /// Collective; every single encoding is.
    void encodeTogether(const std::vector<std::span<const std::string>>& batches, Group& ranks,
        const PreparationProgress& reportProgress, const PromptEncoder& sharded) const;
    void store(const std::string& text, const PromptFeatures& features) const;

    const DiffusionPipeline& m_pipeline;
    FeatureCache m_cache;
    std::string m_encoders;
    at::ScalarType m_dtype;
    /// Texts of prepare(), which need not be looked for: another rank may have written them.
    std::shared_ptr<std::set<std::string>> m_prepared = std::make_shared<std::set<std::string>>();
};

/// Concatenates the features of single prompts into one batch. Shorter prompts are padded, and a mask marks the padding.
/// @param parts the features of one prompt each; at least one
PromptFeatures stacked(const std::vector<PromptFeatures>& parts);

}  // namespace engine
