// The manifest of a checkpoint whose weights are on another machine: what a mirror has of it ([Note: mirrors] in launcher/remote/mirror.h).
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <filesystem>

namespace contract {

/// As readManifest(), but does not look at the files that the manifest lists.
CheckpointManifest readManifestCopy(const std::filesystem::path& checkpointFolder);

}  // namespace contract
