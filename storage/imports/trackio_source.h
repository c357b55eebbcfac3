// Reads the database of a trackio project: trackio/sqlite_storage.py.
#pragma once
#include "storage/imports/foreign_run.h"
#include "storage/imports/run_writer.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace storage {

/// The runs in @p file; nullopt when it is no database of trackio's.
/// @throws std::runtime_error in one sentence when it is damaged or cannot be read.
std::optional<std::vector<ForeignRun>> trackioRuns(const std::filesystem::path& file);

/// Reads the run @p run.key of the database @p run.place. What was logged becomes metrics (nested ones "val.fid"), what the machine did
/// "system/NAME"; the configuration parameters, alerts events; media and texts are counted as left out. Nothing is written beside the database.
/// @throws std::runtime_error in one sentence when it is damaged or cannot be read, or is written meanwhile.
void readTrackio(const ForeignRun& run, RunWriter& writer);

}  // namespace storage
