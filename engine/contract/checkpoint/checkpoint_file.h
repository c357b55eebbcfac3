// Reads a rank's file of a checkpoint and checks what it reads.
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/input_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace contract {

/// Ranges of one file of a checkpoint. Every block that holds bytes of a range is compared with its checksum; blocks are read at
/// once, so that a file which is read in order is read once. Damage is also marked (damage_mark.h). Not thread-safe.
class CheckpointFile {
public:
    /// Takes a comparison that read() would make, to make it later and on any thread, while this object exists. It throws what
    /// read() would throw.
    using Later = std::function<void(std::function<void()> comparison)>;

    /// A file of an older checkpoint, which has one checksum for the whole file, is read completely here.
    /// @param manifest lists @p name; must outlive this object
    /// @throws std::runtime_error naming the file when it cannot be read, has another size than listed, or is damaged.
    CheckpointFile(const std::filesystem::path& folder, const CheckpointManifest& manifest, const std::string& name);

    /// Reads @p bytes bytes from @p offset. @throws std::runtime_error naming the file when they are damaged or missing.
    /// @param later gets the comparisons of most blocks; what was read must stay as it is until they are made. Without it, all are
    ///        made before this returns.
    void read(void* into, std::uint64_t bytes, std::uint64_t offset, const Later& later = {});

private:
    /// Reads @p count whole blocks, of which only the last one of the file may be shorter than the others.
    /// @return bytes
    std::uint64_t readBlocks(std::byte* into, std::uint64_t first, std::uint64_t count, const Later& later);
    void check(std::uint64_t block, const void* data, std::uint64_t bytes) const;
    const std::byte* keptBlock(std::uint64_t block, std::uint64_t bytes);

    InputFile m_file;
    std::uint64_t m_blockBytes;
    const std::vector<std::uint64_t>* m_checksums = nullptr;  ///< of the blocks; null: the file has none
    std::vector<std::byte> m_kept;  ///< the block that was last read in part
    std::uint64_t m_keptBlock = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace contract
