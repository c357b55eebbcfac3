#include "engine/models/transformer/model.h"

#include "engine/comm/errors.h"
#include "engine/models/transformer/model_checks.h"

#include <ATen/TensorOperators.h>

#include <utility>

namespace engine {

ModelInput ModelInput::on(c10::Device device) const
{
    ModelInput moved = *this;
    for (at::Tensor* tensor : {&moved.latents, &moved.sigmas, &moved.labels, &moved.prompt, &moved.promptMask,
             &moved.pooled, &moved.guidance, &moved.timesteps}) {
        if (tensor->defined())
            *tensor = tensor->to(device);
    }
    for (at::Tensor& reference : moved.references)
        reference = reference.defined() ? reference.to(device) : reference;
    return moved;
}

std::string ModelInput::names() const
{
    const std::pair<const char*, const at::Tensor*> all[] = {{"latents", &latents}, {"sigmas", &sigmas}, {"labels", &labels},
        {"prompt", &prompt}, {"prompt mask", &promptMask}, {"pooled", &pooled}, {"guidance", &guidance}, {"timesteps", &timesteps}};
    std::string names;
    for (const auto& [name, tensor] : all) {
        if (tensor->defined())
            names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names;
}

Var inputValue(Tape& tape, const at::Tensor& tensor, Var* exposed)
{
    const Var value = tape.input(tensor.contiguous());
    if (exposed) {
        value->needsGrad = true;
        *exposed = value;
    }
    return value;
}

at::Tensor timestepsOf(const ModelInput& input, double scale)
{
    return input.timesteps.defined() ? input.timesteps.to(at::kFloat) : input.sigmas.to(at::kFloat) * scale;
}

at::Tensor Model::buffer(const std::string& name) const
{
    throw EngineError(EngineError::Kind::WrongUsage, "the model has no buffer \"" + name + "\"");
}

std::vector<ModelBuffer> Model::buffers() const
{
    std::vector<ModelBuffer> all;
    for (const std::string& name : bufferNames())
        all.push_back({name, buffer(name)});
    return all;
}

void Model::setBuffer(const ModelBuffer& buffer) { this->buffer(buffer.name); }

at::Tensor predict(const Model& model, UnitSequence& units, const ModelInput& input)
{
    requireReferencesFit(model, input);
    Tape tape(units, Tape::Mode::Evaluate);
    at::Tensor prediction = model.forward(tape, input)->data.clone();
    units.noteEvaluated();
    return prediction;
}

}  // namespace engine
