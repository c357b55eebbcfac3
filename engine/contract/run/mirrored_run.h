// Tells the copy of a run of another machine, which has no weights, from a run of this one.
#pragma once
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/run_folder.h"

namespace contract {

/// In the run's folder in a mirror: what its machine last said of it (launcher/state/mirror_state.h).
inline constexpr char kSeenFile[] = "seen.json";

inline bool isMirrored(const RunFolder& folder) { return hasEntry(folder.root() / kSeenFile); }

}  // namespace contract
