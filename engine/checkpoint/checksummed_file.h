// Writes a file of a checkpoint and computes its checksums. See [Note: checkpoint files].
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/output_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace engine {

/// Size and checksums of a written file.
struct FileChecksums {
    std::uint64_t bytes = 0;
    std::uint64_t whole = 0;
    std::vector<std::uint64_t> blocks;  ///< of contract::kBlockBytes each
};

/// All functions throw std::system_error naming the file.
class ChecksummedFile {
public:
    /// @param bytes the final size
    ChecksummedFile(const std::filesystem::path& file, std::uint64_t bytes);

    void write(const void* data, std::size_t bytes);

    /// Syncs the file and its folder to disk. Call it once, after the last write().
    FileChecksums finish();

private:
    std::filesystem::path m_folder;
    contract::OutputFile m_output;
    contract::BlockChecksums m_blocks;
};

}  // namespace engine
