// Estimates what the checkpoints of an experiment will take on the disk, without building the model.
#pragma once
#include "engine/contract/experiment/experiment.h"

namespace launcher {

/// Bytes of one checkpoint.
double checkpointBytes(const contract::Experiment& experiment);

/// How many checkpoints rotation keeps: the newest, every n-th and the best, but never more than are written.
double checkpointsKept(const contract::Experiment& experiment);

/// Bytes of the checkpoints that are kept, plus the one that is written before the oldest is removed.
double bytesForCheckpoints(const contract::Experiment& experiment);

}  // namespace launcher
