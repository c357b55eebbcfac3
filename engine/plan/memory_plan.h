// How much memory a rank needs while it trains, by what it is for.
//
// [Note: planned memory]
// The plan is not a formula of its own beside the engine. It builds the run's units, buffer pool and optimizer for all ranks, as rank 0
// has them, on the meta device, whose tensors have shapes and no memory, in a group that communicates nothing (plan_group.h). It then lets
// the units gather, reduce and free as in two steps, and adds up what has been made. Activations are measured by a pass on the
// CPU (activation_trial.h). Samples and the validation loss are not part of it: they are drawn with the weights alone, but of a
// large batch they may need more than training. Encoding the data of
// a diffusers folder is a phase of its own before training (encoding_trial.h), whose memory is given back before training begins; it
// counts with what it takes beyond training, and only the first run on the data has it. On CPUs its peak is measured on this process, with
// decoders, kernels and what the C library's allocator keeps of freed memory. Not part of the plan are pictures of a data set that is
// encoded for a model from scratch (tests/app/tst_plan.cpp and tst_folder_plan.cpp compare with what ranks journal).
#pragma once
#include "engine/plan/planned_model.h"

#include <cstdint>
#include <optional>

namespace engine {

/// In bytes, of one rank; all ranks of a run hold equally much.
struct MemoryPlan {
    std::int64_t parameters = 0;   ///< this rank's shards of the master weights
    std::int64_t average = 0;      ///< their moving average, and other copies that an algorithm keeps
    std::int64_t gradients = 0;    ///< this rank's shards, summed, as far as they do not take the place of activations
    std::int64_t optimizer = 0;
    std::int64_t buffers = 0;      ///< parameters gathered for a pass, and gradients that are not reduced yet
    std::optional<std::int64_t> activations = {};  ///< nullopt: not known before a run
    std::int64_t checkpoint = 0;   ///< copy in host memory from which a checkpoint is written
    bool areShardsOnHost = false;  ///< on a GPU: the first four are in host memory

    std::int64_t parameterCount = 0, trainedCount = 0;  ///< of the whole model
    std::int64_t checkpointBytes = 0;                   ///< of one checkpoint, all ranks' files together

    /// The sum of those that lie where the rank computes, without the copy for a checkpoint.
    std::int64_t trainingBytes() const;
};

/// @param planned of @p experiment
/// @param isOnGpus whether the ranks have GPUs; otherwise they are taken to be on one host, where they share memory
/// @throws EngineError for sizes that do not divide, and unknown names of units.
MemoryPlan planMemory(const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus);

}  // namespace engine
