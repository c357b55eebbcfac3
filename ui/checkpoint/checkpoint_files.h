// What the window does to checkpoints on disk. For any thread; see [Note: checkpoint locks].
#pragma once
#include "launcher/data_home.h"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ui {

/// One sentence about what went wrong; empty: done.
QString setPinned(const std::filesystem::path& checkpoint, bool isPinned);

struct TrashedCheckpoint {
    std::filesystem::path from;
    std::filesystem::path to;
    std::int64_t bytes = 0;
};
struct TrashResult {
    std::vector<TrashedCheckpoint> done;
    std::vector<QString> refused;  ///< one sentence each

    std::int64_t bytes() const;
};

/// Renames each folder into the trash. One that is pinned, read or written stays, and is named.
TrashResult moveToTrash(const launcher::DataHome& home, const std::vector<std::filesystem::path>& checkpoints);

/// Undoes it. @return what could not be put back, one sentence each.
std::vector<QString> restoreFromTrash(const std::vector<TrashedCheckpoint>& trashed);

/// Reads every byte: the manifest, its ranges and the files' sizes and checksums.
/// @return one sentence: what is wrong, or empty.
QString verifyCheckpoint(const std::filesystem::path& checkpoint);

}  // namespace ui
