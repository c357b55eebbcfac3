// Prepares the attempts of a run: their experiment, and the checkpoint that they begin from.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace contract {

/// A start from scratch, by this host and version, now.
AttemptStart newStart(int attempt, int ranks);

/// The same for the run's next attempt: the last one when its ranks have never been started, else one more. It begins from
/// @p checkpointStep if given, else from the latest checkpoint in the last attempt's history (history.h) whose manifest and file sizes
/// are right (AttemptStart::notice then names the later ones), else from scratch when the run has none. Commands in control.jsonl up to now are not for it.
/// Writes nothing. Call it while no other process can start the run (start_lock.h).
/// @throws std::runtime_error when the run has no attempt, only checkpoints that are damaged or not in that history, or the checkpoint
/// is missing, damaged or of another model.
AttemptStart nextStart(const RunFolder& folder, std::optional<std::int64_t> checkpointStep, const Experiment& experiment, int ranks);

/// Creates the folders for journals, logs, checkpoints and samples. @throws std::runtime_error naming the folder.
void makeSubfolders(const RunFolder& folder);

/// Writes the attempt's experiment and, last, start.json, because a folder without it does not count as an attempt. Replaces those
/// of an attempt that has not been started. @throws std::runtime_error naming the file.
void writeAttempt(const RunFolder& folder, const AttemptStart& start, const Experiment& experiment);

/// The attempt that has been prepared and not started, if it is to begin from @p checkpoint, a folder of the run; else nullopt. Does not throw.
std::optional<int> attemptWaitingFor(const RunFolder& folder, const std::filesystem::path& checkpoint);

/// The experiment of an attempt. @throws std::runtime_error naming the file and its first problem.
Experiment experimentOf(const RunFolder& folder, int attempt);

}  // namespace contract
