// The layers and weights of an adapter file, in the form that a model takes them.
#pragma once
#include "engine/contract/adapters/adapter_file.h"
#include "engine/lora/adapters.h"
#include "engine/weights/weights_source.h"

#include <string>
#include <vector>

namespace engine {

/// The layers that the file adapts, with their ranks and scales, for declareAdapters() and Adapters.
std::vector<AdapterLayer> adapterLayers(const contract::AdapterFile& file);

/// The file's matrices under the names that declareAdapters() gives those of @p adapter.
WeightsSource adapterSource(const contract::AdapterFile& file, const std::string& adapter);

/// Whether @p parameter is a matrix of any adapter.
bool isOfAdapter(const std::string& parameter);
/// Whether @p parameter is a matrix of the adapter @p adapter.
bool isOfAdapter(const std::string& parameter, const std::string& adapter);

}  // namespace engine
