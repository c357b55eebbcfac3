// The encoder of T5 (Raffel et al., 2020; version 1.1) and of UMT5 (Chung et al., 2023).
#pragma once
#include "engine/contract/json_config.h"
#include "engine/model/text/text_encoder.h"
#include "engine/model/weight_lookup.h"

#include <limits>
#include <memory>

namespace engine {

class T5Encoder final : public TextEncoder {
public:
    /// Whose table of relative positions a layer uses.
    enum class PositionBias {
        OfFirstLayer,  ///< T5
        OfEachLayer    ///< UMT5
    };

    /// @throws EngineError for what the config asks for and is not known here.
    T5Encoder(const contract::JsonConfig& config, PositionBias positionBias, std::shared_ptr<const WeightLookup> weights);

    std::int64_t layers() const override { return m_layers; }

private:
    std::int64_t vocabulary() const override { return m_vocabulary; }
    // Positions are relative.
    std::int64_t longestPrompt() const override { return std::numeric_limits<std::int64_t>::max(); }
    TextFeatures run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const override;

    /// [1, heads, N, N], or [B, heads, N, N] with a mask.
    at::Tensor positionBias(const WeightScope& attention, const at::Tensor& buckets, const at::Tensor& maskBias) const;
    at::Tensor attended(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const;
    at::Tensor gatedMlp(const WeightScope& weights, const at::Tensor& x) const;

    std::shared_ptr<const WeightLookup> m_weights;
    std::int64_t m_vocabulary, m_width, m_headSize, m_heads, m_hidden, m_layers, m_buckets, m_longestDistance;
    double m_epsilon;
    PositionBias m_positionBias;
};

/// Of query i and key j the class of j - i (row M-062): half of the classes for keys after the query; of each half, half
/// for single distances, and the rest for ranges that grow up to @p longestDistance.
/// @return [tokens, tokens] int64, below @p buckets
at::Tensor relativePositionBuckets(std::int64_t tokens, std::int64_t buckets, std::int64_t longestDistance);

}  // namespace engine
