// CLIP's text encoder (Radford et al., 2021): CLIP-L, and OpenCLIP's bigG in the same format.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/text/clip_layers.h"
#include "engine/models/text/text_encoder.h"
#include "engine/weights/weight_lookup.h"

#include <cstdint>
#include <memory>

namespace engine {

class ClipTextEncoder final : public TextEncoder {
public:
    /// eos_token_id in the published configs of the first CLIP models, where the real end token is 49407. The end is then found as
    /// the largest id of the prompt.
    static constexpr std::int64_t kLargestId = 2;

    /// @param hasProjection true for CLIPTextModelWithProjection, false for CLIPTextModel
    /// @throws std::runtime_error for config values that are not supported.
    ClipTextEncoder(const contract::JsonConfig& config, bool hasProjection, std::shared_ptr<const WeightLookup> weights);

    std::int64_t layers() const override { return m_layers.count(); }

private:
    std::int64_t vocabulary() const override { return m_vocabulary; }
    std::int64_t longestPrompt() const override { return m_positions; }
    /// Ignores the mask: CLIP attends to padding as to any other token.
    TextFeatures run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const override;

    at::Tensor embedded(const WeightScope& weights, const at::Tensor& ids) const;
    at::Tensor endPositions(const at::Tensor& ids) const;  ///< [B] index of the end token in each prompt

    std::shared_ptr<const WeightLookup> m_weights;
    ClipLayers m_layers;
    std::int64_t m_vocabulary, m_positions, m_endToken, m_projection;
    bool m_hasProjection;
};

}  // namespace engine
