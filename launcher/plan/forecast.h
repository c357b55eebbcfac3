// What a run will need: memory of a rank by part, and disk at its end.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

struct Forecast {
    struct Part {
        std::string name;         ///< "program", "parameters", "average", "gradients", "optimizer", "buffers", "activations", "encoding", "checkpoint"
        std::int64_t bytes = 0;   ///< of one rank
        bool isOnHost = false;    ///< in the host's memory although the rank trains on a GPU

        bool operator==(const Part&) const = default;
    };
    bool isOnGpus = false;
    std::int64_t ranks = 1;
    std::int64_t parameters = 0, trained = 0;  ///< of the model
    std::vector<Part> parts;
    bool knowsActivations = true;    ///< false: they come on top, and are known when the run has begun
    std::int64_t freeBytes = 0;      ///< for a rank: of the GPU with the least, or its part of the host's available memory
    std::int64_t checkpointBytes = 0;  ///< of one checkpoint
    std::int64_t checkpoints = 0;      ///< that are kept at the end
    std::int64_t sampleBytes = 0;      ///< of the images that are written until the end, at most
    std::int64_t cacheBytes = 0;       ///< of data that is encoded for the first time, at most; it stays for later runs
    bool isCacheElsewhere = false;     ///< on another disk than the runs
    std::int64_t freeDisk = 0;

    /// The sum of the parts that lie where freeBytes are counted.
    std::int64_t rankBytes() const;
    /// The part of them that is the copy from which a checkpoint is written.
    std::int64_t checkpointCopyBytes() const;
    /// All checkpoints at the end.
    std::int64_t checkpointsBytes() const { return checkpointBytes * checkpoints; }
    /// All that is written to the disk of the runs.
    std::int64_t diskBytes() const { return checkpointsBytes() + sampleBytes + (isCacheElsewhere ? 0 : cacheBytes); }
    bool isEnough() const { return rankBytes() <= freeBytes; }

    bool operator==(const Forecast&) const = default;
};

/// What @p name of a Part means: "parameters gathered for a pass, and gradients before they are summed".
std::string meaningOf(const std::string& name);

/// Lets a worker program plan the run. Takes from half a second to some seconds. Blocks; call it on a thread that does not end meanwhile.
/// @param experiment must be valid
/// @throws std::runtime_error in one sentence, that of the worker where it failed.
Forecast forecast(const DataHome& home, const contract::Experiment& experiment);

/// What was forecast at the start of an attempt, see [Note: kept forecasts]; what was free then is not known. Costs two small files.
/// @return nullopt when there is none yet, or it cannot be read
std::optional<Forecast> readForecast(const contract::RunFolder& folder, int attempt);

}  // namespace launcher
