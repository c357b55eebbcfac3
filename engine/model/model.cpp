#include "engine/model/model.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>

namespace engine {

ModelInput ModelInput::on(c10::Device device) const
{
    ModelInput moved = *this;
    for (at::Tensor* tensor : {&moved.latents, &moved.sigmas, &moved.labels, &moved.prompt, &moved.promptMask,
             &moved.pooled, &moved.guidance, &moved.timesteps}) {
        if (tensor->defined())
            *tensor = tensor->to(device);
    }
    return moved;
}

Var inputValue(Tape& tape, const at::Tensor& tensor, Var* asked)
{
    const Var value = tape.input(tensor.contiguous());
    if (asked) {
        value->needsGrad = true;
        *asked = value;
    }
    return value;
}

at::Tensor timestepsOf(const ModelInput& input, double scale)
{
    return input.timesteps.defined() ? input.timesteps.to(at::kFloat) : input.sigmas.to(at::kFloat) * scale;
}

void Model::setBuffer(const ModelBuffer& buffer)
{
    throw EngineError(EngineError::Kind::WrongUsage, "the model has no buffer \"" + buffer.name + "\"");
}

at::Tensor predict(const Model& model, UnitSequence& units, const ModelInput& input)
{
    Tape tape(units, Tape::Mode::Evaluate);
    return model.forward(tape, input)->data.clone();
}

}  // namespace engine
