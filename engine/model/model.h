// What the training loop and the samplers ask of any diffusion model.
#pragma once
#include "engine/model/tape.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace engine {

struct ModelInput {
    at::Tensor latents;  ///< [B, C, H, W] float32
    at::Tensor sigmas;   ///< [B] float32 in [0, 1]; 1 is pure noise
    at::Tensor labels;   ///< [B] int64; the model's own nullLabel() asks for no class
};

class Model {
public:
    virtual ~Model() = default;

    /// The root first, then the blocks in the order of their use.
    virtual std::vector<UnitSpec> units() const = 0;

    /// Predicted velocity, [B, C, H, W] float32. Collective.
    virtual Var forward(Tape& tape, const ModelInput& input) const = 0;

    virtual std::int64_t nullLabel() const = 0;

    /// Floating-point operations (two for a multiplication and addition) of one sample's forward pass, counting matrix
    /// products only.
    virtual double forwardFlops() const = 0;

    /// The options that shape the weights, as a checkpoint records them.
    virtual std::map<std::string, std::string> shapeOptions() const = 0;
};

/// The prediction alone, in memory of its own. Collective.
at::Tensor predict(const Model& model, UnitSequence& units, const ModelInput& input);

}  // namespace engine
