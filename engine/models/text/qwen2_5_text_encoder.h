// The language model of Qwen2.5-VL as a text encoder, without the vision tower.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/text/text_encoder.h"
#include "engine/weights/weight_lookup.h"

#include <memory>
#include <string>

namespace engine {

class Qwen25TextEncoder final : public TextEncoder {
public:
    /// @param config with the sizes under "text_config", or at the top level as in older files
    /// @throws std::runtime_error for config values that are not supported, EngineError for weights under no known prefix.
    Qwen25TextEncoder(const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

    std::int64_t layers() const override { return m_layers; }

private:
    struct Rotation {
        at::Tensor cos, sin;  ///< [B, 1, N, d]
    };

    void readSizes(const contract::JsonConfig& config);
    std::int64_t vocabulary() const override { return m_vocabulary; }
    std::int64_t longestPrompt() const override { return m_positions; }
    TextFeatures run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const override;

    Rotation rotation(const at::Tensor& mask, at::ScalarType dtype) const;
    at::Tensor attended(const WeightScope& weights, const at::Tensor& x, const Rotation& rope, const at::Tensor& bias) const;
    at::Tensor gatedMlp(const WeightScope& weights, const at::Tensor& x) const;

    std::shared_ptr<const WeightLookup> m_weights;
    std::string m_prefix;  ///< of the names of the language model's weights
    std::int64_t m_vocabulary = 0, m_positions = 0, m_width = 0, m_layers = 0, m_heads = 0, m_keyHeads = 0, m_hidden = 0;
    double m_epsilon = 0, m_theta = 0;
};

/// The features of each prompt's own tokens, right-padded with zeros to the longest prompt.
struct ValidTokens {
    at::Tensor features;  ///< [B, L, D]
    at::Tensor mask;      ///< [B, L] int64, 0 for padding
};

/// Removes padding and the first @p dropped tokens, which belong to the template before the prompt.
/// @param features [B, N, D]; @param mask [B, N], 0 for padding
ValidTokens validTokens(const at::Tensor& features, const at::Tensor& mask, std::int64_t dropped);

}  // namespace engine
