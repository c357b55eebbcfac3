// The notices about a run that are sent to a web address, and which process sends them.
//
// [Note: notices]
// The supervisor sends notices of its run to the user's web address. Without a supervisor, rank 0 sends them as long as it lives. Such an
// attempt begins with the file attempts/N/untold; the process that removes the file sends the notice of the attempt's end. Usually that is
// rank 0. If it was killed, could not reach the address, or cannot know whether Slurm continues the run, the file stays, and the next window
// that sees the end of the run sends the notice.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace contract {

/// What happened.
struct Notice {
    std::string run;    ///< id
    std::string name;   ///< of the run
    std::string state;  ///< "finished", "failed", "interrupted", "stalled"; "stopped" and "rule" by a rule of the experiment;
                        ///< of a queue "not started" and "queue held", which have no step
    std::string cause;  ///< one sentence; may be empty
    std::int64_t step = 0;
};

/// One document that chats (Slack, Mattermost: "text"; Discord: "content"), ntfy and programs of one's own can read:
/// {"text":…,"content":…,"run":…,"name":…,"state":…,"cause":…,"step":…,"host":…}.
std::string noticeText(const Notice& notice);

/// The file with the address, which only the user can read: the address is as good as a password for most services.
std::filesystem::path webAddressFile(const std::filesystem::path& config);
/// The address in that file, of http or https; empty: none.
std::string webAddress(const std::filesystem::path& config);
/// The address for a rank of a run in @p folder: of the data home in which the run lies, else of the user on this machine.
std::string webAddressFor(const RunFolder& folder);

/// Marks an attempt whose end has not been reported yet. Does nothing where the file cannot be written.
void markUnreported(const RunFolder& folder, int attempt);
/// @return whether the caller is to send the notice of the attempt's end: true for one caller at most, until the attempt is marked again
bool takeUnreported(const RunFolder& folder, int attempt);

}  // namespace contract
