// Prompts as a pipeline's transformer is told about them.
// Dims: B prompts, L tokens, D features, P of a whole prompt.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/model_folder.h"
#include "engine/model/model.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace engine {

struct PromptFeatures {
    at::Tensor embeds;  ///< [B, L, D]
    at::Tensor mask;    ///< [B, L] bool, true for what is text; undefined: all is
    at::Tensor pooled;  ///< [B, P]; undefined where a transformer takes none

    ModelInput asInput() const;  ///< of the transformer, without latents and noise levels
};

struct PromptEncoderOptions {
    at::ScalarType dtype = at::kFloat;  ///< in which the encoders compute
    c10::Device device {c10::DeviceType::CPU};
    std::int64_t maxSequenceLength = 0;  ///< of the longest encoder; 0: the pipeline's own default
    Group* shards = nullptr;  ///< ranks that keep the weights among them, in memory; outlives the encoder
};

/// Weights are read from their files layer by layer, each time: little memory, and the system's cache keeps what fits. With
/// PromptEncoderOptions::shards they are read once, and ranks encode together, each its own prompts.
class PromptEncoder {
public:
    virtual ~PromptEncoder() = default;

    /// On the encoders' device, float32. Collective over the shards. @throws std::runtime_error for a prompt that is too long, see Tokenizer.
    virtual PromptFeatures encode(std::span<const std::string> prompts) const = 0;
};

/// Whether the folder's transformer is told a guidance scale, as FLUX.1 dev's is and schnell's is not.
bool isGuidanceDistilled(const contract::ModelFolder& folder);

/// The encoders of a pipeline's folder, by the pipeline's class.
/// @throws std::runtime_error, EngineError naming the class that is not known and those that are, or what the folder lacks.
std::unique_ptr<PromptEncoder> openPromptEncoder(const contract::ModelFolder& folder, const PromptEncoderOptions& options);

}  // namespace engine
