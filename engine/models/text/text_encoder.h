// A frozen text encoder: token ids → features.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

/// Dims: B prompts, N tokens, D features.
struct TextFeatures {
    at::Tensor last;         ///< [B, N, D] after the final norm
    at::Tensor penultimate;  ///< [B, N, D] input of the last layer
    at::Tensor pooled;       ///< [B, D] `last` at each prompt's end token; undefined but for CLIP
    at::Tensor projected;    ///< [B, P] `pooled` through the text projection; undefined where there is none
};

/// Computes layer by layer; the weights of a layer are looked up just before and released just after. Uses plain tensor
/// operations, so callers run it under InferenceMode. One thread at a time; collective where the weights are sharded.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// Called with hidden state k: for k < layers(), the input of layer k; for k = layers(), the output of the last layer
    /// (CLIP) or TextFeatures::last (the other encoders).
    using Observer = std::function<void(std::int64_t k, const at::Tensor& state)>;

    /// @param ids [B, N] int64
    /// @param mask [B, N], 0 for padding, to which no token attends; undefined: no padding
    /// @throws EngineError for ids outside the vocabulary, and for more tokens than the encoder has positions.
    TextFeatures encode(const at::Tensor& ids, const at::Tensor& mask = {}, const Observer& observer = {}) const;

    virtual std::int64_t layers() const = 0;

protected:
    virtual std::int64_t vocabulary() const = 0;
    virtual std::int64_t longestPrompt() const = 0;
    virtual TextFeatures run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const = 0;
};

}  // namespace engine
