// The interface of a diffusion model, as the training loop and the samplers use it.
#pragma once
#include "engine/autograd/tape.h"

#include <ATen/core/Tensor.h>

#include <c10/core/Device.h>

#include <map>
#include <string>
#include <vector>

namespace engine {

/// Inputs of a forward pass as values of its tape, for callers that need their gradients. forward() fills it in.
struct InputValues {
    Var latents = nullptr, prompt = nullptr, pooled = nullptr;
};

struct ModelInput {
    at::Tensor latents;  ///< [B, C, H, W], of videos [B, C, F, H, W], float32
    at::Tensor sigmas;   ///< [B] float32 in [0, 1]; 1 is pure noise. Each model converts them to its timesteps
    at::Tensor labels;   ///< [B] int64, for class-conditional models; the model's nullLabel() means "no class"

    // For models that are conditioned on a prompt. Any floating-point dtype, except the mask.
    at::Tensor prompt = {};      ///< [B, L, D] prompt embeddings
    at::Tensor promptMask = {};  ///< [B, L] bool, false for padding; undefined: no padding
    at::Tensor pooled = {};      ///< [B, P] pooled prompt embedding
    at::Tensor guidance = {};    ///< [B] float32, guidance scale for guidance-distilled models
    at::Tensor timesteps = {};   ///< [B] in the model's own unit; when defined, used instead of sigmas

    /// Clean latents [B, C, H, W] of the reference images that the generated image is based on (row E-014); sizes may differ.
    /// Only for models whose takesReferences() is true.
    std::vector<at::Tensor> references = {};

    InputValues* values = nullptr;  ///< when set, forward() fills it in, and its values have gradients after backward

    ModelInput on(c10::Device device) const;  ///< a copy with all tensors on @p device
    std::string names() const;  ///< of the tensors that are defined: "latents, sigmas, prompt"
};

/// Adds @p tensor to the tape as an input.
/// @param exposed null, or receives the value, which then gets a gradient in the backward pass
Var inputValue(Tape& tape, const at::Tensor& tensor, Var* exposed);

/// Returns [B] float32: input.timesteps if defined, else sigmas times @p scale.
at::Tensor timestepsOf(const ModelInput& input, double scale);

/// A table that is stored with a model's weights but never trained. Each rank has the whole table; where it is mapped from a
/// file, the ranks share its memory.
struct ModelBuffer {
    std::string name;
    at::Tensor values;
};

class Model {
public:
    virtual ~Model() = default;

    /// The root unit first, then the units of the blocks in forward order.
    virtual std::vector<UnitSpec> units() const = 0;

    /// Returns the predicted velocity, in the shape of the latents, float32. Collective.
    /// @throws EngineError WrongUsage for an input that does not fit the model, naming what it lacks.
    virtual Var forward(Tape& tape, const ModelInput& input) const = 0;

    virtual std::int64_t nullLabel() const { return 0; }  ///< the label for "no class"; 0 for models without classes

    virtual bool takesReferences() const { return false; }  ///< see ModelInput::references

    /// Names of the buffers, as in a model folder and in exports.
    virtual std::vector<std::string> bufferNames() const { return {}; }

    /// Returns the values from setBuffer(), else the default of a newly initialized model. @throws as setBuffer()
    virtual at::Tensor buffer(const std::string& name) const;
    std::vector<ModelBuffer> buffers() const;  ///< all buffers; may compute them, which takes memory and time

    /// Uses @p buffer's values, which may be mapped memory of any floating-point dtype and are not copied.
    /// @throws EngineError WrongUsage for an unknown name or a wrong shape.
    virtual void setBuffer(const ModelBuffer& buffer);

    /// Floating-point operations of a forward pass on @p input, all of its samples together and, where a sequence is divided, all of
    /// its ranks. Counts matrix products only; a multiply-add is two operations. Reads shapes only.
    virtual double forwardFlops(const ModelInput& input) const = 0;

    /// The options that determine the shapes of the weights, as a checkpoint records them.
    virtual std::map<std::string, std::string> shapeOptions() const = 0;
};

/// Runs forward() without recording gradients and returns a copy of the prediction. Collective.
/// @throws EngineError as forward(), and for references to a model that takes none.
at::Tensor predict(const Model& model, UnitSequence& units, const ModelInput& input);

}  // namespace engine
