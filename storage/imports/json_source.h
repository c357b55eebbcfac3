// Reads JSON files with objects that have a step: Atelier's own exports, JSON lines, and lists of objects as in transformers' trainer_state.json.
#pragma once
#include "storage/imports/foreign_run.h"
#include "storage/imports/run_writer.h"

#include <filesystem>

namespace storage {

/// The run in @p file, by its first objects. Of an export of Atelier's own, key is the run's id.
/// @throws std::runtime_error in one sentence when the file cannot be read or holds no steps.
ForeignRun jsonRun(const std::filesystem::path& file);

/// Reads the run, with constant memory. The objects are those of a list, or of the first list with steps in an object (such as "log_history"), or
/// follow each other. Values of nested objects are called "KEY/NAME"; texts and lists are counted as left out.
/// @throws std::runtime_error in one sentence that names the file, line and column of what is wrong.
void readJson(const ForeignRun& run, RunWriter& writer);

}  // namespace storage
