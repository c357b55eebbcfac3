// The weights of a checkpoint as whole tensors.
#pragma once
#include "engine/contract/checkpoint_manifest.h"
#include "engine/contract/input_file.h"
#include "engine/contract/sharded_export.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace contract {

enum class ExportedWeights {
    Model,   ///< as trained
    Average  ///< their moving average ("ema")
};

/// Reads the ranges of the ranks' files one after another, as a tensor's values are asked for. One thread.
class CheckpointWeights {
public:
    /// @throws std::runtime_error in one sentence naming the folder: no checkpoint, damaged, or none of those weights in it
    CheckpointWeights(const std::filesystem::path& folder, ExportedWeights weights);
    CheckpointWeights(const CheckpointWeights&) = delete;
    CheckpointWeights& operator=(const CheckpointWeights&) = delete;

    const std::filesystem::path& folder() const { return m_folder; }
    const CheckpointManifest& manifest() const { return m_manifest; }
    const std::vector<ExportedTensor>& tensors() const { return m_tensors; }  ///< valid as long as this object

private:
    void read(const TensorEntry& entry, std::uint64_t begin, void* into, std::uint64_t bytes);

    std::filesystem::path m_folder;
    CheckpointManifest m_manifest;
    std::vector<ExportedTensor> m_tensors;
    std::map<std::string, InputFile> m_files;
};

}  // namespace contract
