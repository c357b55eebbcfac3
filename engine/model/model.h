// What the training loop and the samplers ask of any diffusion model.
#pragma once
#include "engine/model/tape.h"

#include <ATen/core/Tensor.h>

#include <c10/core/Device.h>

#include <map>
#include <string>
#include <vector>

namespace engine {

/// A pass's inputs as values of its tape, for who wants their gradients.
struct InputValues {
    Var latents = nullptr, prompt = nullptr, pooled = nullptr;
};

struct ModelInput {
    at::Tensor latents;  ///< [B, C, H, W], of moving pictures [B, C, F, H, W], float32
    at::Tensor sigmas;   ///< [B] float32 in [0, 1]; 1 is pure noise. Each model makes its own timesteps of them
    at::Tensor labels;   ///< [B] int64, of models with classes; the model's own nullLabel() asks for no class

    // Of models that are told what to draw in words. Floating-point numbers of any dtype.
    at::Tensor prompt = {};      ///< [B, L, D] text encoders' states
    at::Tensor promptMask = {};  ///< [B, L] bool, true for what is text; undefined: all is
    at::Tensor pooled = {};      ///< [B, P] one vector for the whole text
    at::Tensor guidance = {};    ///< [B] float32, the scale that a guidance-distilled model is asked for
    at::Tensor timesteps = {};   ///< [B] as the model itself counts them, in place of sigmas

    /// Clean latents [B, C, H, W] of pictures that the drawn one begins from (row E-014), each of a size of its own; of models
    /// that take them.
    std::vector<at::Tensor> references = {};

    InputValues* values = nullptr;  ///< to be filled in by forward; each then has a gradient after backward

    ModelInput on(c10::Device device) const;
    std::string names() const;  ///< of what is given: "latents, sigmas, prompt"
};

/// @param asked where the value goes that then has a gradient, nullptr: nowhere
Var inputValue(Tape& tape, const at::Tensor& tensor, Var* asked);

/// [B] float32: the timesteps that are given, or sigmas times @p scale.
at::Tensor timestepsOf(const ModelInput& input, double scale);

/// A table that lies beside the weights in a model's folder and is never trained. Every rank has it whole, which costs
/// nothing where it is mapped from a file.
struct ModelBuffer {
    std::string name;
    at::Tensor values;
};

class Model {
public:
    virtual ~Model() = default;

    /// The root first, then the blocks in the order of their use.
    virtual std::vector<UnitSpec> units() const = 0;

    /// Predicted velocity, of the latents' shape, float32. Collective.
    /// @throws EngineError WrongUsage for an input that does not fit the model, naming what it lacks.
    virtual Var forward(Tape& tape, const ModelInput& input) const = 0;

    virtual std::int64_t nullLabel() const { return 0; }  ///< 0 where there are no classes

    virtual bool takesReferences() const { return false; }  ///< see ModelInput::references

    /// Names of its buffers, in a folder and in exports.
    virtual std::vector<std::string> bufferNames() const { return {}; }

    /// One of them: what was set, or else what a model trained from nothing has. @throws like setBuffer()
    virtual at::Tensor buffer(const std::string& name) const;
    std::vector<ModelBuffer> buffers() const;  ///< all, which may take memory and time

    /// Takes the values of a buffer from a model's folder, which may be mapped memory of any floating-point dtype.
    /// @throws EngineError WrongUsage for a buffer that the model lacks, or of another shape.
    virtual void setBuffer(const ModelBuffer& buffer);

    /// Floating-point operations (two for a multiplication and addition) of one sample's forward pass, counting matrix
    /// products only.
    virtual double forwardFlops() const = 0;

    /// The options that shape the weights, as a checkpoint records them.
    virtual std::map<std::string, std::string> shapeOptions() const = 0;
};

/// The prediction alone, in memory of its own. Collective. @throws EngineError as forward, and for references to a model that takes none.
at::Tensor predict(const Model& model, UnitSequence& units, const ModelInput& input);

}  // namespace engine
