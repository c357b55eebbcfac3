// What the last part of a journal says about one attempt.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace launcher {

struct JournalEnd {
    bool hasBegun = false;  ///< the attempt wrote something
    bool hasStep = false;
    std::int64_t step = 0;              ///< of the last step record
    double medianStepMs = 0;            ///< of the steps read; 0 with fewer than two
    std::int64_t lastRecordUnixMs = 0;  ///< by the journal's own clock; 0 without the attempt's header
    std::int64_t writtenUnixMs = 0;     ///< when the file last changed; right even after the clock was set
    std::string phase;                  ///< last phase event, when no step came after it
    std::int64_t phaseUnixMs = 0;
    std::string outcome;  ///< of the end record; empty without one
    std::string cause;
    bool isStopAccepted = false;  ///< supervisor: stop, stop now or kill was asked for
    bool isStalled = false;       ///< supervisor: a stall was noticed and nothing came since
};

/// Reads at most the last 64 kB.
/// @param beginning where the attempt's part begins, when that is known. Otherwise only records behind a
/// header of @p attempt count.
JournalEnd readJournalEnd(
    const std::filesystem::path& file, int attempt, std::optional<std::int64_t> beginning = {});

}  // namespace launcher
