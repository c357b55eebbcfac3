#include "launcher/base/network_disk.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <utility>

namespace launcher {
namespace {

// Of Linux's statfs(2), and of file systems that are not part of the kernel.
constexpr std::array<std::pair<std::uint32_t, const char*>, 17> kNetworkFileSystems = {{{0x6969, "NFS"}, {0x517B, "SMB"},
    {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB"}, {0x01021997, "9P"}, {0x00C36400, "Ceph"}, {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x65735546, "FUSE"}, {0x5346414F, "AFS"}, {0x6B414653, "AFS"}, {0x73757245, "Coda"}, {0x7461636F, "OCFS2"},
    {0x01161970, "GFS2"}, {0xAAD7AAEA, "PanFS"}, {0x20030528, "OrangeFS"}}};

}  // namespace

std::string nameOfNetworkFileSystem(std::uint32_t type)
{
    const auto found = std::ranges::find(kNetworkFileSystems, type, &std::pair<std::uint32_t, const char*>::first);
    return found == kNetworkFileSystems.end() ? std::string() : found->second;
}

std::string networkFileSystem(const std::filesystem::path& folder)
{
    struct statfs status {};
    std::filesystem::path existing = folder;
    while (::statfs(existing.c_str(), &status) != 0) {
        if (!existing.has_relative_path())
            return {};
        existing = existing.parent_path();
    }
    return nameOfNetworkFileSystem(static_cast<std::uint32_t>(status.f_type));
}

}  // namespace launcher
