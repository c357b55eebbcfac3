#include "engine/algorithm/timestep_fields.h"

#include <stdexcept>

namespace engine {

std::int64_t timestepsOf(const RolloutBatch& batch, const std::string& name)
{
    const at::Tensor& values = batch.tensor(name);
    if (values.dim() < 2)
        throw std::invalid_argument("the field \"" + name + "\" has no timesteps; its shape must be [B, T, …]");
    return values.size(1);
}

std::map<std::string, at::Tensor> atTimestep(const RolloutBatch& batch, std::int64_t timestep,
    const std::vector<std::string>& required, const std::vector<std::string>& optional)
{
    std::map<std::string, at::Tensor> columns;
    const auto take = [&](const std::string& name) {
        const std::int64_t timesteps = timestepsOf(batch, name);
        if (timestep < 0 || timestep >= timesteps)
            throw std::out_of_range("the field \"" + name + "\" has " + std::to_string(timesteps)
                + " timesteps; timestep " + std::to_string(timestep) + " does not exist");
        columns.emplace(name, batch.tensor(name).select(1, timestep));
    };
    for (const std::string& name : required)
        take(name);
    for (const std::string& name : optional) {
        if (batch.find<at::Tensor>(name))
            take(name);
    }
    return columns;
}

at::Tensor squeezeTimestep(const at::Tensor& values)
{
    return values.dim() > 1 && values.size(1) == 1 ? values.squeeze(1) : values;
}

}  // namespace engine
