#include "engine/lora/adapter_source.h"

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
    std::map<std::string, contract::MatrixWindow> parameters;
    for (const auto& [matrix, window] : file.matrices)
        parameters[contract::adapterParameter(matrix, adapter)] = window;
    return WeightsSource(file.files, parameters);
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
