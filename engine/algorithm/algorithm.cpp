#include "engine/algorithm/algorithm.h"

#include <stdexcept>

namespace engine {
namespace {

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

std::vector<std::string> namesOf(const NamedTensors& tensors)
{
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors) {
        if (tensor.defined())
            names.push_back(name);
    }
    return names;
}

std::vector<std::string> missingFrom(const NamedTensors& tensors, const std::vector<std::string>& required)
{
    std::vector<std::string> missing;
    for (const std::string& name : required) {
        const auto found = tensors.find(name);
        if (found == tensors.end() || !found->second.defined())
            missing.push_back(name);
    }
    return missing;
}

}  // namespace

AlgorithmLoss Algorithm::loss(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference* groups) const
{
    const LossInputs required = inputs();
    const auto missingOutputs = missingFrom(outputs, required.outputs), missingFields = missingFrom(fields, required.fields);
    if (!missingOutputs.empty() || !missingFields.empty())
        throw std::invalid_argument("the loss of " + std::string(name()) + " lacks outputs of the model (" + joined(missingOutputs)
            + ") or fields of the rollout (" + joined(missingFields) + "); there are outputs " + joined(namesOf(outputs)) + " and fields "
            + joined(namesOf(fields)));
    return lossOf(outputs, fields, groups);
}

}  // namespace engine
