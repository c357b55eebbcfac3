// Text features of prompts: encoded once by all ranks together, then read from a cache.
#pragma once
#include "engine/data/feature_cache.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/train/shared_preparation.h"

#include <set>
#include <string>
#include <vector>

namespace engine {

/// Reading is for any thread, encoding for one.
class PromptCache {
public:
    /// @param pipeline outlives this. @param encoders what tells one set of encoders from another: part of every key
    /// @param dtype of what is kept
    PromptCache(const DiffusionPipeline& pipeline, FeatureCache cache, std::string encoders, at::ScalarType dtype);

    /// Encodes the texts that the cache lacks. Collective: all ranks give the same.
    /// @param sharded encoders whose weights lie on these ranks; nullptr: each rank has its own
    void prepare(const std::set<std::string>& texts, Group& ranks, const PreparationProgress& tell,
        const PromptEncoder* sharded = nullptr) const;

    /// Whether features() only reads.
    bool has(const std::string& text) const { return m_cache.has(keyOf(text)); }

    /// From the cache, or computed now and then cached. @return of one text: [1, L, D] …, float32
    PromptFeatures features(const std::string& text) const;

private:
    std::string keyOf(const std::string& text) const { return FeatureCache::keyOf(m_encoders + "\ntext " + text); }
    PromptFeatures encode(const std::string& text) const;
    void keep(const std::string& text, const PromptFeatures& features) const;

    const DiffusionPipeline& m_pipeline;
    FeatureCache m_cache;
    std::string m_encoders;
    at::ScalarType m_dtype;
};

/// Rows of one length under each other, shorter ones padded with a mask.
/// @param parts of one prompt each, at least one
PromptFeatures stacked(const std::vector<PromptFeatures>& parts);

}  // namespace engine
