#include "launcher/home/trash.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/folders.h"
#include "launcher/slurm/slurm_client.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

constexpr char kCheckpoints[] = "checkpoints";  // the subfolder of the trash; no run id is this short
constexpr char kOriginEnding[] = ".origin";
constexpr char kErasedPrefix[] = ".erased-";  // of a folder that is being deleted

/// The file next to a trashed run folder that holds the folder's original path.
fs::path originFile(const DataHome& home, const std::string& runId)
{
    return home.trash() / (runId + kOriginEnding);
}

fs::path originOf(const DataHome& home, const std::string& runId)
{
    constexpr std::uint64_t kMaxBytes = 64 * 1024;
    std::string origin;
    try {
        origin = contract::fileContentIfAny(originFile(home, runId), kMaxBytes, contract::Links::Refuse).value_or("");
    } catch (const std::runtime_error&) {
        // The run then goes back to where runs usually are.
    }
    origin.resize(std::min(origin.find('\0'), origin.size()));
    return origin.empty() ? home.runs() / runId : fs::path(origin);
}

void move(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    if (fs::exists(to, error))
        throw std::runtime_error(contract::cannotBe("moved to " + to.string(), from, EEXIST));
    fs::rename(from, to, error);
    if (error)
        throw std::runtime_error(contract::cannotBe("moved to " + to.string(), from, error.value()));
}

/// When a run was moved to the trash, in milliseconds since 1970: when its origin was written or, without one, when @p place was renamed; 0 when it
/// is unknown.
std::int64_t trashedUnixMs(const fs::path& origin, const fs::path& place)
{
    const auto milliseconds = [](const timespec& time) { return time.tv_sec * std::int64_t {1000} + time.tv_nsec / 1'000'000; };
    struct stat info {};
    if (::stat(origin.c_str(), &info) == 0)
        return milliseconds(info.st_mtim);
    return ::stat(place.c_str(), &info) == 0 ? milliseconds(info.st_ctim) : 0;
}

/// Calls @p visit with each entry of @p folder that is a folder itself, not a link, in no particular order.
void forEachFolder(const fs::path& folder, const std::function<void(const fs::path&)>& visit)
{
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        if (entry->symlink_status(unreadable).type() == fs::file_type::directory)
            visit(entry->path());
    }
}

bool isErased(const fs::path& folder) { return folder.filename().string().starts_with(kErasedPrefix); }

/// Reads "step-N-MILLISECONDS" and "step-N-former-1-MILLISECONDS"; nullopt when @p place has another name.
std::optional<TrashItem> checkpointItem(const DataHome& home, const std::string& run, const fs::path& place)
{
    const std::string name = place.filename().string();
    const std::size_t dash = name.rfind('-');
    if (!name.starts_with("step-") || dash < 6)
        return std::nullopt;
    const std::string original = name.substr(0, dash);
    constexpr std::string_view kFormer = "-former-";
    const std::size_t former = std::min(original.find(kFormer), original.size());
    const auto step = contract::parseInteger(std::string_view(original).substr(5, former - 5));
    const auto unixMs = contract::parseInteger(std::string_view(name).substr(dash + 1));
    const bool isNumbered = former == original.size() || contract::parseInteger(std::string_view(original).substr(former + kFormer.size()));
    if (!step || !unixMs || *step < 0 || !isNumbered)
        return std::nullopt;
    return TrashItem {run + "/" + original, step, place, contract::RunFolder(home.runs() / run).checkpoints() / original, *unixMs};
}

void eraseFolder(const fs::path& folder)
{
    std::error_code error;
    fs::remove_all(folder, error);
    if (error)
        throw std::runtime_error(contract::cannotBe("deleted", folder, error.value()));
}

}  // namespace

void moveToTrash(const DataHome& home, const contract::RunFolder& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder.root(), error))
        throw std::runtime_error(folder.root().string() + " does not exist; nothing was moved to the trash");
    contract::SupervisorLock lock(folder);
    if (const std::string problem = lock.take(); !problem.empty())
        throw std::runtime_error(problem);
    requireNoSlurmJob(folder);
    createFolder(home.trash());
    if (fs::exists(home.trash() / folder.id(), error))  // or else its origin would be lost below
        throw std::runtime_error(contract::cannotBe("moved to " + (home.trash() / folder.id()).string(), folder.root(), EEXIST));
    try {
        contract::writeFileAtomically(originFile(home, folder.id()), folder.root().string());
    } catch (const std::system_error& failure) {
        // A full disk has no room for it, and without it a run goes back to where runs usually are.
        if (folder.root() != home.runs() / folder.id())
            throw std::runtime_error(contract::cannotBe("written", originFile(home, folder.id()), failure.code().value()));
    }
    move(folder.root(), home.trash() / folder.id());
}

contract::RunFolder restoreFromTrash(const DataHome& home, const std::string& runId)
{
    std::error_code error;
    const fs::path inTrash = home.trash() / runId;
    const bool isRun = !runId.empty() && runId != kCheckpoints && runId.find('/') == std::string::npos && !isErased(inTrash);
    if (!isRun || !fs::is_directory(inTrash, error))
        throw std::runtime_error("run " + runId + " is not in the trash " + home.trash().string());
    const fs::path origin = originOf(home, runId);
    createFolder(origin.parent_path());
    move(inTrash, origin);
    fs::remove(originFile(home, runId), error);
    return contract::RunFolder(origin);
}

std::vector<TrashItem> trashItems(const DataHome& home)
{
    std::vector<TrashItem> items;
    forEachFolder(home.trash(), [&](const fs::path& place) {
        const std::string id = place.filename().string();
        if (id != kCheckpoints && !isErased(place))
            items.push_back({id, {}, place, originOf(home, id), trashedUnixMs(originFile(home, id), place)});
    });
    forEachFolder(home.trash() / kCheckpoints, [&](const fs::path& run) {
        forEachFolder(run, [&](const fs::path& place) {
            if (auto item = checkpointItem(home, run.filename().string(), place))
                items.push_back(std::move(*item));
        });
    });
    std::ranges::sort(items, [](const TrashItem& a, const TrashItem& b) { return std::pair(a.unixMs, a.name) > std::pair(b.unixMs, b.name); });
    return items;
}

void restore(const DataHome& home, const TrashItem& item)
{
    if (!item.checkpointStep) {
        restoreFromTrash(home, item.name);
        return;
    }
    std::error_code error;
    const fs::path checkpoints = item.origin.parent_path();
    if (!fs::is_directory(checkpoints.parent_path(), error))
        throw std::runtime_error(item.name + " cannot be restored: its run is not in " + home.runs().string() + "; restore the run first");
    createFolder(checkpoints);
    move(item.place, item.origin);
}

void erase(const DataHome& home, const TrashItem& item)
{
    const fs::path erased = item.place.parent_path() / (kErasedPrefix + item.place.filename().string());
    move(item.place, erased);
    eraseFolder(erased);
    std::error_code ignored;
    fs::remove(item.checkpointStep ? item.place.parent_path() : originFile(home, item.name), ignored);  // a folder only when it is empty
}

void removeRemnants(const DataHome& home)
{
    std::vector<fs::path> remnants;
    const auto collect = [&](const fs::path& folder) {
        if (isErased(folder))
            remnants.push_back(folder);
    };
    forEachFolder(home.trash(), collect);
    forEachFolder(home.trash() / kCheckpoints, [&](const fs::path& run) { forEachFolder(run, collect); });
    for (const fs::path& folder : remnants)
        eraseFolder(folder);
}

std::uint64_t folderBytes(const fs::path& folder, const std::stop_token& stop)
{
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end && !stop.stop_requested(); entry.increment(error)) {
        std::error_code unreadable;
        if (entry->symlink_status(unreadable).type() == fs::file_type::regular) {
            const auto size = entry->file_size(unreadable);
            bytes += unreadable ? 0 : size;
        }
    }
    return bytes;
}

}  // namespace launcher
