// Reads the log of a Weights & Biases run: wandb/proto/wandb_internal.proto.
#pragma once
#include "storage/imports/foreign_run.h"
#include "storage/imports/run_writer.h"

#include <string>
#include <vector>

namespace storage {

/// What is written to the annotations of a run that is new.
struct ForeignNotes {
    std::vector<std::string> tags;
    std::string notes;
};

/// Reads the log @p run.place and, beside it, the pictures in files/media. The history becomes metrics (nested ones "val.fid"), numbers of the
/// summary that no history has "summary/NAME", the machine's statistics "system/NAME"; the configuration parameters, alerts events, what the run
/// printed its log; other media are counted as left out.
/// @return what its author has noted. @throws std::runtime_error in one sentence when the log cannot be read. Damage is said by RunWriter::warn().
ForeignNotes readWandb(const ForeignRun& run, RunWriter& writer);

/// The same for every copy of the log: entity, project, id and start of the run. @throws std::runtime_error as above
std::string wandbIdentity(const std::filesystem::path& log);

}  // namespace storage
