// Whether an attempt that resumed recorded the values of the attempt before again: what a resume is worth (N2).
#pragma once
#include "storage/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

/// Steps that an attempt recorded again because it resumed from a checkpoint before them.
struct ResumeProof {
    struct Difference {
        std::int64_t step = 0;
        std::string metric;
        double former = 0, later = 0;
        bool operator==(const Difference&) const = default;
    };

    int former = 1;  ///< the last earlier attempt that recorded such steps
    int later = 2;
    std::int64_t firstStep = 0, lastStep = 0;  ///< that both recorded
    std::int64_t steps = 0;                    ///< how many
    bool isCut = false;                        ///< both recorded later steps, which were not compared
    std::int64_t metrics = 0;                  ///< that were compared
    std::optional<Difference> first;           ///< at the lowest step where a value differs in any bit; nullopt: all are identical
    bool operator==(const ResumeProof&) const = default;
};

/// Whether @p metric is a result of training: not a time, a rate, a size in memory, or what the machine did.
bool isResult(std::string_view metric);

/// One for each attempt that recorded steps again. Compares rank 0's results, of at most the first 100,000 such steps.
/// @param attempts and @param series of @p store's run
/// @throws StoreError.
std::vector<ResumeProof> resumeProofs(const Store& store, const std::vector<AttemptRow>& attempts, const std::vector<SeriesRow>& series);

}  // namespace storage
