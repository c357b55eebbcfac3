// What a checkpoint stores of each data rank in addition to the shards: tensors of work in progress, such as a round.
// See [Note: checkpoint files].
#pragma once
#include "engine/checkpoint/checksummed_file.h"
#include "engine/contract/checkpoint/checkpoint_file.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/safetensors_header.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace engine {

struct RankData {
    std::map<std::string, std::string> facts;   ///< what the tensors were made with; the same on all ranks
    std::map<std::string, at::Tensor> tensors;  ///< float32 or int64, by names that no other data rank uses

    bool isEmpty() const { return tensors.empty(); }
};

/// Returns "data-3.safetensors".
std::string dataFileName(int dataRank);

/// @param data on the CPU; each tensor is made contiguous while it is written. Any thread. @throws std::system_error naming the file.
FileChecksums writeDataFile(const RankData& data, const std::filesystem::path& file);

/// The data that all ranks have left in a checkpoint, whatever their number. What is read is compared with its checksum.
/// While this object exists, the checkpoint is not removed.
class DataFiles {
public:
    /// @param manifest of the checkpoint in @p folder
    /// @throws EngineError BadCheckpoint when a file's header cannot be read or is damaged.
    DataFiles(const std::filesystem::path& folder, contract::CheckpointManifest manifest);
    DataFiles(const DataFiles&) = delete;
    DataFiles& operator=(const DataFiles&) = delete;

    bool isEmpty() const { return m_tensors.empty(); }
    const std::map<std::string, std::string>& facts() const { return m_facts; }

    /// @return [shape…] on the CPU
    /// @throws EngineError BadCheckpoint when the tensor is missing, damaged, or has another dtype or shape.
    at::Tensor read(const std::string& name, at::ScalarType dtype, const std::vector<std::int64_t>& shape);

    /// @throws EngineError BadCheckpoint that names the checkpoint and says what is wrong with its data.
    [[noreturn]] void refuse(const std::string& what) const;

private:
    struct Place {
        contract::CheckpointFile* file;
        std::string fileName;
        contract::SafetensorsTensor tensor;
    };
    void open(const std::string& name);

    std::filesystem::path m_folder;
    contract::CheckpointLock m_lock;
    contract::CheckpointManifest m_manifest;
    std::map<std::string, contract::CheckpointFile> m_files;
    std::map<std::string, std::string> m_facts;
    std::map<std::string, Place> m_tensors;
};

}  // namespace engine
