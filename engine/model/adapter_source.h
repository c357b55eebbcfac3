// An adapter's file as layers and weights of a model.
#pragma once
#include "engine/contract/adapter_file.h"
#include "engine/model/adapters.h"
#include "engine/model/weights_source.h"

#include <string>
#include <vector>

namespace engine {

/// For declareAdapters() and Adapters: the layers that the file is for, with its ranks and scales.
std::vector<AdapterLayer> adapterLayers(const contract::AdapterFile& file);

/// The file's matrices under the names that declareAdapters() gives those of @p adapter.
WeightsSource adapterSource(const contract::AdapterFile& file, const std::string& adapter);

/// Whether a parameter is a matrix of an adapter, of whatever name.
bool isOfAdapter(const std::string& parameter);
bool isOfAdapter(const std::string& parameter, const std::string& adapter);  ///< of that one

}  // namespace engine
