// Summarises one attempt from the last part of a journal.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace launcher {

/// The supervisor waits before it starts ranks again that have failed.
struct RestartWait {
    std::int64_t number = 1, most = 1;  ///< "restart 1 of 3"
    std::int64_t dueUnixMs = 0;         ///< when the pause ends
    std::string cause;                  ///< why the ranks have failed
};

struct JournalEnd {
    bool hasBegun = false;  ///< the journal has a header or records of the attempt
    std::int64_t startUnixMs = 0;  ///< of the header, which the writer begins with; 0 without it
    bool hasStep = false;
    std::int64_t step = 0;              ///< of the last step record
    std::optional<double> loss;         ///< of the last step record that has one
    double medianStepMs = 0;            ///< over the step records that were read; 0 with fewer than two
    std::int64_t lastRecordUnixMs = 0;  ///< header time plus the record's own offset; 0 without the attempt's header
    std::int64_t writtenUnixMs = 0;     ///< modification time of the file; correct even after the clock was set
    std::int64_t bytes = 0;             ///< size of the file, with earlier attempts; 0 as long as the attempt has not begun
    std::string phase;                  ///< of the last phase event or activity record; empty when a step record follows it
    std::int64_t phaseUnixMs = 0;
    std::string outcome;  ///< of the end record; empty without one
    std::string cause;    ///< of the end record
    bool isStopAccepted = false;  ///< supervisor's journal: a stop, stop_now or kill command was recorded
    bool isStalled = false;       ///< supervisor's journal: the last record is a stall event
    std::string rule;             ///< supervisor's journal: the last rule that fired, see FiredRule::sentence(); empty: none
    std::int64_t ruleUnixMs = 0;  ///< when it did
    std::optional<RestartWait> restart;  ///< supervisor's journal: when the last record is such an event
};

/// Reads the last 64 kB of @p file; when these hold no complete line, no header, or no step of an attempt whose @p beginning is
/// known, more, up to 4 MB. A missing file gives a default JournalEnd.
/// @param beginning offset at which the attempt's records begin, if known. Without it, only records after a header of
/// @p attempt are considered, so the result is a default one when the attempt has written more than 4 MB.
JournalEnd readJournalEnd(
    const std::filesystem::path& file, int attempt, std::optional<std::int64_t> beginning = {});

/// Of rank 0 in an attempt, however much it has written if that is the last one.
JournalEnd readRankZeroEnd(const contract::RunFolder& folder, int attempt);

}  // namespace launcher
