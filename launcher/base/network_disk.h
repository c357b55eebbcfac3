// Tells network file systems from local ones.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace launcher {

/// The name of the network file system that holds the folder, or the nearest one above it that exists: "NFS", "Lustre", …
/// Empty when the folder lies on a local disk, or cannot be examined. What runs as a user's program (FUSE) counts as a network's.
std::string networkFileSystem(const std::filesystem::path& folder);

/// The same, by the type that statfs() reports.
std::string nameOfNetworkFileSystem(std::uint32_t type);

}  // namespace launcher
