// The window's operations on checkpoint folders. Callable on any thread; see [Note: checkpoint locks] in
// engine/contract/checkpoint/checkpoint_lock.h.
#pragma once
#include "launcher/base/data_home.h"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

namespace ui {

/// Creates or removes the file that protects a checkpoint from rotation and deletion.
/// @return the error in one sentence; empty on success.
QString setPinned(const std::filesystem::path& checkpoint, bool isPinned);

struct TrashedCheckpoint {
    std::filesystem::path from;
    std::filesystem::path to;
    std::int64_t bytes = 0;
};
struct TrashResult {
    std::vector<TrashedCheckpoint> done;
    std::vector<QString> refused;  ///< one sentence for each checkpoint that was not moved

    std::int64_t bytes() const;  ///< of all moved checkpoints
};

/// Renames each folder into the trash. Skips, and reports in `refused`, those that are pinned or being read, and those from which an attempt waits
/// to resume. One that is being written has another name.
TrashResult moveToTrash(const launcher::DataHome& home, const std::vector<std::filesystem::path>& checkpoints);

/// Undoes moveToTrash(). @return one sentence for each checkpoint that could not be restored.
std::vector<QString> restoreFromTrash(const std::vector<TrashedCheckpoint>& trashed);

/// Checks the manifest, its byte ranges, and the files' sizes and checksums; reads every byte.
/// @return the first problem in one sentence; empty if the checkpoint is intact, and when @p stop is requested.
QString verifyCheckpoint(const std::filesystem::path& checkpoint, const std::stop_token& stop = {});

}  // namespace ui
