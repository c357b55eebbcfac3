// The weights of a checkpoint as whole tensors.
#pragma once
#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/sharded_export.h"

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

/// Assembles whole tensors from the ranges in the ranks' files, on demand. What it reads is checked, see CheckpointFile.
/// Not thread-safe.
class CheckpointWeights {
public:
    /// @throws std::runtime_error in one sentence naming the folder if it is not a checkpoint, is damaged or lacks the weights.
    CheckpointWeights(const std::filesystem::path& folder, ExportedWeights weights);
    CheckpointWeights(const CheckpointWeights&) = delete;
    CheckpointWeights& operator=(const CheckpointWeights&) = delete;

    const std::filesystem::path& folder() const { return m_folder; }
    const CheckpointManifest& manifest() const { return m_manifest; }
    const std::vector<ExportedTensor>& tensors() const { return m_tensors; }  ///< their read() is valid as long as this object

private:
    void read(const TensorEntry& entry, std::uint64_t begin, void* into, std::uint64_t bytes);

    std::filesystem::path m_folder;
    CheckpointManifest m_manifest;
    std::vector<ExportedTensor> m_tensors;
    std::map<std::string, CheckpointFile> m_files;
};

}  // namespace contract
