// Encodes prompts into the inputs of a pipeline's transformer.
// Dims: B prompts, L tokens, D features per token, P pooled features.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/models/transformer/model.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

struct PromptFeatures {
    at::Tensor embeds;  ///< [B, L, D]
    at::Tensor mask;    ///< [B, L] bool, false for padding; undefined: no padding
    at::Tensor pooled;  ///< [B, P]; undefined when the transformer does not use it

    ModelInput asInput() const;  ///< the transformer's input, without latents and noise levels

    /// The features of prompt @p row alone, [1, L, D] …, without the padding to the longest prompt of the batch. Views.
    PromptFeatures ofPrompt(std::int64_t row) const;
};

struct PromptEncoderOptions {
    at::ScalarType dtype = at::kFloat;  ///< in which the encoders compute
    c10::Device device {c10::DeviceType::CPU};
    std::int64_t maxSequenceLength = 0;  ///< in tokens, for the encoder of long prompts (T5, Qwen); 0: the pipeline's default
    Group* shardGroup = nullptr;  ///< ranks that shard the weights and keep them in memory; must outlive the encoder
};

/// Reads the weights from their files layer by layer at each call, which needs little memory; the operating system caches the
/// files as far as they fit. With PromptEncoderOptions::shardGroup the weights are read once and kept in shards, and all ranks
/// must encode together, each its own prompts.
class PromptEncoder {
public:
    /// Prompts that are best encoded in one pass, which reads the weights once for all of them: 10 GB for T5.
    static constexpr std::size_t kBatch = 8;

    virtual ~PromptEncoder() = default;

    /// Returns float32 on the encoders' device. Collective over the shard group.
    /// @throws std::runtime_error for a prompt that is too long, see Tokenizer.
    virtual PromptFeatures encode(std::span<const std::string> prompts) const = 0;

    /// What is left out of a prompt that is too long, a phrase for each encoder: "text_encoder reads 75 of its 103 tokens".
    /// Empty when every encoder reads all of it. @throws as encode()
    virtual std::vector<std::string> truncations(const std::string& prompt) const = 0;

    /// L of the features of @p prompt alone; reads no weights. Most encoders pad all prompts to one length. @throws as encode()
    virtual std::int64_t length(const std::string& prompt) const = 0;
};

/// The truncations of @p prompt in one sentence for the user; empty when there are none.
std::string truncationNotice(const PromptEncoder& encoder, const std::string& prompt);

/// Whether the folder's transformer takes the guidance scale as an input: that of FLUX.1 dev does, that of schnell does not.
bool isGuidanceDistilled(const contract::ModelFolder& folder);

/// Opens the prompt encoders of a pipeline folder, by the pipeline's class.
/// @throws EngineError for an unknown class, listing the known ones; std::runtime_error naming what the folder lacks.
std::unique_ptr<PromptEncoder> openPromptEncoder(const contract::ModelFolder& folder, const PromptEncoderOptions& options);

}  // namespace engine
