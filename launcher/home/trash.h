// The trash of the data home: runs, and checkpoints of runs, that were removed and can be restored until it is emptied.
//
//   trash/RUN                                    a run's folder
//   trash/RUN.origin                             the path where it was; written when the run was moved
//   trash/checkpoints/RUN/step-N-MILLISECONDS    a checkpoint's folder, with the time when it was moved; a former one is called
//                                                step-N-former-1-MILLISECONDS
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace launcher {

/// Moves a run's folder to the trash. @throws std::runtime_error when the run is active or the folder cannot be moved.
void moveToTrash(const DataHome& home, const contract::RunFolder& folder);
/// Moves a run's folder from the trash back to where it was. @return that folder. @throws std::runtime_error when the run
/// is not in the trash or its old place is taken.
contract::RunFolder restoreFromTrash(const DataHome& home, const std::string& runId);

struct TrashItem {
    std::string name;  ///< of a run its id, of a checkpoint "RUN/step-N" or "RUN/step-N-former-1"
    std::optional<std::int64_t> checkpointStep;  ///< nullopt: a run
    std::filesystem::path place;   ///< its folder in the trash
    std::filesystem::path origin;  ///< where it was
    std::int64_t unixMs = 0;       ///< when it was moved

    /// Names it alone, also among checkpoints of the same step that were removed one after the other: "RUN/step-N-MILLISECONDS".
    std::string exactName() const { return checkpointStep ? runId() + "/" + place.filename().string() : name; }
    /// The run, or the run of the checkpoint.
    std::string runId() const { return name.substr(0, name.find('/')); }
};

/// What is in the trash, newest first. Empty when there is no trash or it cannot be read.
std::vector<TrashItem> trashItems(const DataHome& home);

/// Moves an item back to where it was. @throws std::runtime_error when its old place is taken, or, for a checkpoint, when
/// its run does not exist any more.
void restore(const DataHome& home, const TrashItem& item);

/// Deletes an item for good. An item whose deletion was interrupted is no longer listed; removeRemnants() deletes its rest.
/// @throws std::runtime_error naming what cannot be deleted and why.
void erase(const DataHome& home, const TrashItem& item);
void removeRemnants(const DataHome& home);  ///< see erase(); the same errors

/// Bytes of all regular files in @p folder; those that cannot be read count as 0.
std::uint64_t folderBytes(const std::filesystem::path& folder, const std::stop_token& stop = {});

}  // namespace launcher
