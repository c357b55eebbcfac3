// Checkpoints that training might have left, made of the files of a golden case.
#pragma once
#include "engine/contract/formats/safetensors_set.h"
#include "tests/engine/goldens/golden_folders.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace tests {

/// A case whose model is a transformer in a folder.
struct TransformerCase {
    explicit TransformerCase(const std::filesystem::path& folder);

    std::filesystem::path path;
    nlohmann::json json;
    contract::SafetensorsSet base;     ///< weights of its model
    std::vector<std::string> names;    ///< of its tensors
    std::vector<std::string> modules;  ///< paths of its linear layers

    std::filesystem::path baseFolder() const { return base.path().parent_path(); }
    bool hasAdapter() const { return json.contains("adapter"); }
};

/// Whether a tensor of the case's model is no parameter, so that no checkpoint holds it.
bool isTable(const std::string& name);

/// Writes a manifest over copies of the case's files: all parameters, and where the case has an adapter, that as "default"
/// and as "old", with its options.
void writeCheckpoint(const TransformerCase& golden, const std::filesystem::path& folder);

/// A manifest over matrices of small numbers for these modules, an adapter "default" of ranks 4 and 2 and scales 2 and 0.5 by turns.
void writeAdapterCheckpoint(const TransformerCase& golden, const std::vector<std::string>& modules, const std::filesystem::path& folder);

}  // namespace tests
