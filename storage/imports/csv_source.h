// Reads tables in CSV files: Atelier's own exports, downloads from TensorBoard and Weights & Biases, and any other with a column of steps.
#pragma once
#include "storage/imports/foreign_run.h"
#include "storage/imports/run_writer.h"

#include <filesystem>
#include <vector>

namespace storage {

/// The runs in @p file, by its first line: one, or several in a download from Weights & Biases ("Step", "RUN - METRIC", …). A table in long
/// form, which has a row for each value ("run_id", "key", "value", "step"), is read to its end for the runs that it names.
/// @throws std::runtime_error in one sentence when the file cannot be read or holds no steps.
std::vector<ForeignRun> csvRuns(const std::filesystem::path& file);

/// Reads the run, with constant memory. Cells that are empty have no value; texts are counted as left out. The column "Value" of a download from
/// TensorBoard is called as the file ("run-NAME-tag-METRIC.csv") says.
/// @throws std::runtime_error in one sentence that names the file, line and column of what is wrong.
void readCsv(const ForeignRun& run, RunWriter& writer);

/// What a run is called that the file holds: its name without ending, or that of its folder when it is one as "metrics.csv".
std::string nameOfRunIn(const std::filesystem::path& file);

}  // namespace storage
