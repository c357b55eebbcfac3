// The encoder of T5 (Raffel et al., 2020; version 1.1) and of UMT5 (Chung et al., 2023).
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/text/text_encoder.h"
#include "engine/weights/weight_lookup.h"

#include <limits>
#include <memory>

namespace engine {

class T5Encoder final : public TextEncoder {
public:
    /// Which layer's table of relative positions a layer uses.
    enum class PositionBias {
        OfFirstLayer,  ///< the first layer's, for all layers (T5)
        OfEachLayer    ///< each layer its own (UMT5)
    };

    /// @throws std::runtime_error for config values that are not supported.
    T5Encoder(const contract::JsonConfig& config, PositionBias positionBias, std::shared_ptr<const WeightLookup> weights);

    std::int64_t layers() const override { return m_layers; }

private:
    std::int64_t vocabulary() const override { return m_vocabulary; }
    // Positions are relative, so there is no limit.
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

/// Returns the bucket of the offset j - i for query i and key j (row M-062). The upper half of the buckets is for keys after
/// the query. In each half, the first half of the buckets are single distances and the others are ranges whose widths grow
/// logarithmically up to @p longestDistance.
/// @return [tokens, tokens] int64, in [0, buckets)
at::Tensor relativePositionBuckets(std::int64_t tokens, std::int64_t buckets, std::int64_t longestDistance);

}  // namespace engine
