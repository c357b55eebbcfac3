// What a web address is told of a run, and who tells it.
//
// [Note: notices]
// A supervisor tells the user's web address what becomes of its run. Where there is none, rank 0 does, as long as it lives: an attempt begins
// with the file attempts/N/untold, and who removes it is the one that tells how the attempt ended. That is rank 0 in most cases. When it was
// killed, could not reach the address or left it to Slurm whether the run is over, the file remains, and the next window that sees the end
// of the run tells.
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
    std::string state;  ///< "finished", "failed", "interrupted", "stalled"; "stopped" and "rule" by a rule of the experiment
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

/// Says that nobody has told yet how an attempt ended. Does nothing where the file cannot be written.
void markUntold(const RunFolder& folder, int attempt);
/// @return whether the caller is to tell how the attempt ended. At most one of all that ask is, until somebody marks the attempt again.
bool takeUntold(const RunFolder& folder, int attempt);

}  // namespace contract
