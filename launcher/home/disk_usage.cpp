#include "launcher/home/disk_usage.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/home/trash.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

std::uint64_t fileBytes(const fs::path& file)
{
    std::error_code error;
    const bool isFile = fs::symlink_status(file, error).type() == fs::file_type::regular;
    const std::uint64_t bytes = isFile ? fs::file_size(file, error) : 0;
    return error ? 0 : bytes;
}

FileKind kindOf(const contract::RunFolder& run, const fs::path& entry)
{
    if (entry == run.checkpoints())
        return FileKind::Checkpoints;
    if (entry == run.samples())
        return FileKind::Samples;
    if (entry == run.journals())
        return FileKind::Journals;
    return entry == run.logs() ? FileKind::Logs : FileKind::Other;
}

RunUsage usageOf(const contract::RunFolder& run, const std::stop_token& stop)
{
    RunUsage usage {.run = run.id()};
    for (const fs::path& entry : contract::entriesOf(run.root()))
        usage.bytes.at(static_cast<std::size_t>(kindOf(run, entry))) += contract::isFolder(entry) ? folderBytes(entry, stop) : fileBytes(entry);
    return usage;
}

}  // namespace

const char* nameOf(FileKind kind)
{
    constexpr std::array<const char*, kFileKinds> kNames = {"checkpoints", "samples", "journals", "logs", "other"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::uint64_t RunUsage::total() const { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t {0}); }

std::uint64_t DiskUsage::total() const
{
    return std::accumulate(runs.begin(), runs.end(), database + caches + trash + incoming,
        [](std::uint64_t sum, const RunUsage& run) { return sum + run.total(); });
}

DiskUsage diskUsage(const DataHome& home, const std::stop_token& stop)
{
    DiskUsage usage;
    for (const fs::path& entry : contract::entriesOf(home.runs())) {
        if (stop.stop_requested())
            return usage;
        if (contract::isFolder(entry))
            usage.runs.push_back(usageOf(contract::RunFolder(entry), stop));
    }
    std::ranges::stable_sort(usage.runs, std::ranges::greater(), &RunUsage::total);
    // In the data home too where the index is elsewhere: an earlier one may have been left there.
    for (const fs::path& folder : std::set {home.index, home.data}) {
        for (const fs::path& entry : contract::entriesOf(folder)) {
            if (entry.filename().string().starts_with(home.database().filename().string()))  // with -wal, -shm and backups
                usage.database += fileBytes(entry);
        }
    }
    usage.caches = folderBytes(home.data / "cache", stop);
    std::error_code error;
    if (!fs::equivalent(home.data / "cache", home.cache, error))
        usage.caches += folderBytes(home.cache, stop);
    usage.trash = folderBytes(home.trash(), stop);
    usage.incoming = folderBytes(home.data / "incoming", stop);
    const fs::space_info space = fs::space(fs::exists(home.runs(), error) ? home.runs() : home.data, error);
    usage.free = error ? 0 : space.available;
    return usage;
}

}  // namespace launcher
