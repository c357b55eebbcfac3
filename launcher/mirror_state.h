// What a mirror, the local copy of another machine's data home, says of the state of the runs there. See [Note: mirrors] in
// launcher/remote/mirror.h.
//
//   mirror.json           in the mirror's folder: the machine and the connection to it; while it lasts, the file's time is when the machine was last heard
//   runs/RUN/seen.json    the run's status as the machine last gave it
#pragma once
#include "engine/contract/run/mirrored_run.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/state/run_state.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace launcher {

/// A connection on which nothing has arrived for so long is lost. The machine says something every few seconds.
inline constexpr std::chrono::seconds kLongestSilence {20};

inline constexpr char kMirrorFile[] = "mirror.json";
using contract::kSeenFile;

struct MirrorLink {
    std::string host;          ///< as the user names it: "me@gpu1"
    bool isConnected = false;  ///< according to the file; the process that wrote it may have been killed since
    std::string problem;       ///< why it is not connected, in one sentence; may be empty
    std::int64_t heardUnixMs = 0;

    bool isAlive(std::int64_t nowUnixMs) const;
};

/// The connection of the mirror @p data; nullopt when this is no mirror.
std::optional<MirrorLink> mirrorLink(const std::filesystem::path& data);

/// @throws std::system_error naming the file.
void writeMirrorLink(const std::filesystem::path& data, const MirrorLink& link);

/// Records that the machine was heard now, while mirror.json says that it is connected.
void touchMirrorLink(const std::filesystem::path& data);

/// A status as a JSON object; what has its default value is left out.
nlohmann::json statusJson(const RunStatus& status);

/// The status in an object from another machine; nullopt when it is not one.
std::optional<RunStatus> statusOf(const nlohmann::json& json);

/// What a run in a mirror was when it was last seen.
struct SeenRun {
    RunStatus status;
    std::string stamp;  ///< of its small files that have been copied, as the machine gave it; see FileDepth::Facts
};

/// nullopt when the file is missing or damaged.
std::optional<SeenRun> seenRun(const contract::RunFolder& folder);
/// Replaces the file; not durably, since the machine says it again. @throws std::system_error naming the file.
void writeSeenRun(const contract::RunFolder& folder, const SeenRun& seen);

/// The status of a run in a mirror: as it was last seen, or CutOff when it was active or waited then and the connection is lost.
/// nullopt when the run is not in a mirror.
std::optional<RunStatus> mirroredStatus(const contract::RunFolder& folder);

}  // namespace launcher
