#include "engine/model/adapter_source.h"

#include <map>

namespace engine {

std::vector<AdapterLayer> adapterLayers(const contract::AdapterFile& file)
{
    std::vector<AdapterLayer> layers;
    for (const contract::AdapterFile::Layer& layer : file.layers)
        layers.push_back({layer.module, layer.rank, layer.scale});
    return layers;
}

WeightsSource adapterSource(const contract::AdapterFile& file, const std::string& adapter)
{
    std::map<std::string, std::string> parameters;
    for (const auto& [tensor, nameInFile] : file.names.tensors) {
        if (tensor.part != contract::AdapterPart::Alpha)
            parameters[nameInFile] = contract::adapterParameter(tensor, adapter);
    }
    return WeightsSource(file.files, [&parameters](const std::string& nameInFile) {
        const auto found = parameters.find(nameInFile);
        return found == parameters.end() ? std::string() : found->second;
    });
}

bool isOfAdapter(const std::string& parameter)
{
    return parameter.find(".lora_A.") != std::string::npos || parameter.find(".lora_B.") != std::string::npos;
}

bool isOfAdapter(const std::string& parameter, const std::string& adapter)
{
    return parameter.ends_with(".lora_A." + adapter + ".weight") || parameter.ends_with(".lora_B." + adapter + ".weight");
}

}  // namespace engine
