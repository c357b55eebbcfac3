// Writes small safetensors files and checkpoints for tests.
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/safetensors.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// Float32 tensors with their values.
using Tensors = std::vector<std::pair<contract::SafetensorsTensor, std::vector<float>>>;

inline void writeTensors(const std::filesystem::path& file, const Tensors& tensors)
{
    std::filesystem::create_directories(file.parent_path());
    std::vector<contract::SafetensorsTensor> entries;
    for (const auto& [entry, values] : tensors)
        entries.push_back(entry);
    contract::SafetensorsWriter writer(file, entries, {{"format", "pt"}});
    for (const auto& [entry, values] : tensors)
        writer.write(values.data(), values.size() * sizeof(float));
    writer.finish();
}

/// Writes one-dimensional tensors.
inline void writeTensors(const std::filesystem::path& file, const std::map<std::string, std::vector<float>>& tensors)
{
    Tensors entries;
    for (const auto& [name, values] : tensors)
        entries.push_back({{name, "F32", {static_cast<std::int64_t>(values.size())}}, values});
    writeTensors(file, entries);
}

/// Writes a checkpoint of one rank. @param tensors named as in the model @param options the manifest's model options
inline void writeCheckpoint(const std::filesystem::path& folder, const Tensors& tensors, const std::map<std::string, std::string>& options)
{
    constexpr char kFile[] = "rank-0.safetensors";
    writeTensors(folder / kFile, tensors);
    contract::CheckpointManifest manifest;
    manifest.modelOptions = options;
    manifest.fileBytes = {{kFile, std::filesystem::file_size(folder / kFile)}};
    const contract::SafetensorsFile written(folder / kFile);
    for (const contract::SafetensorsTensor& tensor : written.tensors())
        manifest.tensors.push_back({"model/" + tensor.name, tensor.dtype, tensor.shape, {{kFile, tensor.offset, 0, tensor.elements()}}});
    contract::writeManifest(folder, manifest);
}

}  // namespace tests
