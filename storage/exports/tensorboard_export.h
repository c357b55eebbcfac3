// Writes a run's curves, samples and options as event files, for TensorBoard and all that reads its files.
#pragma once
#include "storage/store.h"

#include <filesystem>
#include <string>

namespace storage {

/// Writes to @p folder, which must not hold anything, and is created: rank 0's and the supervisor's metrics in the folder itself, those of other ranks in
/// "rank-N", and superseded points in "superseded-N", where N is their attempt; TensorBoard shows each folder as a run of its
/// own. Values are float32 there; steps and times are exact. Samples become images with their prompt as name, the options of the
/// last attempt a text.
/// @throws StoreError, or std::runtime_error in one sentence naming the folder or file that cannot be written. What has been
///         written by then is complete files.
void exportTensorBoard(const Store& store, const std::string& runId, const std::filesystem::path& folder);

}  // namespace storage
