// Reads TensorBoard's event files: tensorboard/compat/proto/{event,summary,tensor}.proto.
#pragma once
#include "storage/imports/foreign_run.h"
#include "storage/imports/run_writer.h"

namespace storage {

/// Reads all event files of the run in @p run.place. Scalars become metrics, in either form that TensorBoard knows; texts become events,
/// images samples, hyperparameters (the plugin "hparams") parameters; other summaries are counted as left out. A file that records again
/// what an earlier one has recorded, of a training that went on from before its end, begins a new attempt.
/// @throws std::runtime_error in one sentence when no file can be read. Damage is said by RunWriter::warn().
void readTensorBoard(const ForeignRun& run, RunWriter& writer);

}  // namespace storage
