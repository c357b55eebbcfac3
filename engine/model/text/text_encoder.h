// A frozen text encoder: token ids → features.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

/// Dims: B prompts, N tokens, D features.
struct TextFeatures {
    at::Tensor last;         ///< [B, N, D] after the final norm
    at::Tensor penultimate;  ///< [B, N, D] what the last layer gets
    at::Tensor pooled;       ///< [B, D] `last` at the end of each prompt; CLIP only
    at::Tensor projected;    ///< [B, P] `pooled` through the projection, where there is one
};

/// Layers are computed one after another, each with weights that are asked for then and dropped after it. Plain tensor
/// operations: run it under InferenceMode. May be used from one thread at a time; where weights are sharded, collective.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// Gets hidden state k: what layer k gets, for k below the number of layers; the last one is what the last layer gives
    /// (CLIP) or `last` (the others).
    using Observer = std::function<void(std::int64_t k, const at::Tensor& state)>;

    /// @param ids [B, N] int64
    /// @param mask [B, N], 0 where a token is padding that nobody attends to; undefined: all attend to all
    /// @throws EngineError for ids that are not in the vocabulary, and prompts longer than the encoder's positions.
    TextFeatures encode(const at::Tensor& ids, const at::Tensor& mask = {}, const Observer& observer = {}) const;

    virtual std::int64_t layers() const = 0;

protected:
    virtual std::int64_t vocabulary() const = 0;
    virtual std::int64_t longestPrompt() const = 0;
    virtual TextFeatures run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const = 0;
};

}  // namespace engine
