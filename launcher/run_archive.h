// A run as one file: a tar archive with the run's folder and, as its last entry, SHA256SUMS of all files, so that `tar -x` and
// `sha256sum -c SHA256SUMS` suffice without Atelier.
//
//   RUN/attempts/1/start.json
//   RUN/journal/rank-0.jsonl …
//   SHA256SUMS
//
// Locks and files that are being written are left out; so are links, which Atelier never makes in a run's folder.
#pragma once
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"
#include "launcher/base/tar_stream.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace launcher {

enum class PackedCheckpoints { All, Last, None };

class RunArchive {
public:
    /// Lists what will be packed. @throws std::runtime_error in one sentence when the run is active, or cannot be read.
    RunArchive(const contract::RunFolder& folder, PackedCheckpoints checkpoints);
    ~RunArchive();

    std::uint64_t bytes() const { return m_bytes; }  ///< of the archive
    std::size_t files() const { return m_files; }
    const std::vector<std::string>& leftOut() const { return m_leftOut; }  ///< a sentence for each thing that is neither file nor folder

    /// Writes the archive. @throws std::runtime_error when a file changes meanwhile or cannot be read; what @p write throws.
    void write(const TarWriter::Write& write) const;

private:
    struct Item {
        TarEntry entry;
        std::filesystem::path place;
    };
    void collect(const std::filesystem::path& folder, const std::string& path, PackedCheckpoints checkpoints);

    contract::RunFolder m_folder;
    std::vector<Item> m_items;
    std::vector<std::unique_ptr<contract::CheckpointLock>> m_locks;  ///< none of these checkpoints is removed meanwhile
    std::vector<std::string> m_leftOut;
    std::size_t m_files = 0;
    std::uint64_t m_bytes = 0;
};

/// Brings a packed run into the data home, under its id. It appears there when every file has been read and has its checksum;
/// otherwise nothing of it is left.
/// @throws std::runtime_error in one sentence: the archive is damaged, cut off or no run's, names a file outside the run's folder, or
///         the run is there already
contract::RunFolder unpackRun(const DataHome& home, const TarReader::Read& read);

}  // namespace launcher
