#include "launcher/remote/mirror_folder.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/folders.h"
#include "launcher/remote/protocol.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace launcher {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t kLongestWhole = 64LL << 20;   // bytes of a file that is not appended to
constexpr std::int64_t kMostIncomplete = 256LL << 20;
constexpr std::uint64_t kFreeBytes = 256ULL << 20;   // what a mirror leaves free on the disk
constexpr std::size_t kMostRuns = 1'000'000;

void requireRoom(const fs::path& folder)
{
    struct statvfs disk {};
    if (::statvfs(folder.c_str(), &disk) == 0 && static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize < kFreeBytes)
        throw std::runtime_error("the disk of " + folder.string() + " is nearly full, so no more is copied; make room on it");
}

/// A folder that is there, and no link; created when it is missing.
void requireFolder(const fs::path& folder)
{
    if (::mkdir(folder.c_str(), 0755) == 0)
        return;
    struct stat info {};
    if (errno != EEXIST || ::lstat(folder.c_str(), &info) != 0)
        throw std::runtime_error(contract::cannotBe("created", folder, errno));
    if (!S_ISDIR(info.st_mode))
        throw std::runtime_error(folder.string() + " is not a folder; remove it");
}

/// A file descriptor that is closed.
struct Descriptor {
    int number = -1;
    ~Descriptor() { ::close(number); }
};

void writeAll(int descriptor, const fs::path& file, std::string_view bytes, std::int64_t at)
{
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            throw std::runtime_error(contract::cannotBe("written", file, errno));
        bytes.remove_prefix(static_cast<std::size_t>(count));
        at += count;
    }
}

}  // namespace

std::vector<std::string> MirrorFolder::runs() const
{
    std::vector<std::string> ids;
    for (const fs::path& entry : contract::entriesOf(m_data / "runs")) {
        if (isRunName(entry.filename().string()) && contract::isFolder(entry))
            ids.push_back(entry.filename().string());
    }
    return ids;
}

std::vector<Json> MirrorFolder::had(const std::string& id, FileDepth first, FileDepth last) const
{
    std::vector<Json> result;
    const fs::path root = run(id).root();
    for (const ServedFile& file : ServedFiles(root).list(last)) {
        if (*servedDepth(file.path) < first)
            continue;
        if (!isGrowing(file.path)) {
            result.push_back({file.path, file.size, file.mtimeNs});
            continue;
        }
        const Descriptor descriptor {contract::openRegularFile(root / file.path, O_RDONLY, contract::Links::Refuse)};
        result.push_back({file.path, file.size, tailCheck(descriptor.number, file.size)});
    }
    return result;
}

/// Where a file is written. Creates its folders; none of them may be a link.
fs::path MirrorFolder::place(const std::string& id, const std::string& path)
{
    if (!isRunName(id) || !servedDepth(path))
        throw std::runtime_error("a message names the file " + contract::inQuotes(contract::shortened(path)) + ", which no run has");
    fs::path folder = m_data / "runs";
    requireFolder(folder);
    folder /= id;
    requireFolder(folder);
    const fs::path relative(path);
    for (const fs::path& part : relative.parent_path()) {
        folder /= part;
        requireFolder(folder);
    }
    return folder / relative.filename();
}

void MirrorFolder::takeFile(const std::string& id, const Json& message, std::string_view bytes)
{
    const std::string path = textField(message, "file");
    if (message.value("removed", Json()) == true)
        return remove(id, path);
    const std::int64_t at = numberField(message, "at");
    if (at < 0 || bytes.size() != static_cast<std::size_t>(std::max<std::int64_t>(numberField(message, "bytes"), 0)))
        throw std::runtime_error("a message about " + contract::inQuotes(contract::shortened(path)) + " does not say where its bytes belong");
    requireRoom(m_data);
    if (isGrowing(path))
        append(id, path, at, message.value("anew", Json()) == true, bytes);
    else
        collect(id, path, message, bytes);
}

void MirrorFolder::append(const std::string& id, const std::string& path, std::int64_t at, bool isAnew, std::string_view bytes)
{
    const fs::path file = place(id, path);
    const Descriptor descriptor {contract::openRegularFile(file, O_RDWR | O_CREAT, contract::Links::Refuse)};
    struct stat info {};
    if (descriptor.number < 0 || ::fstat(descriptor.number, &info) != 0)
        throw std::runtime_error(contract::cannotBe("written", file, errno));
    if (isAnew && at == 0) {
        if (::ftruncate(descriptor.number, 0) != 0)
            throw std::runtime_error(contract::cannotBe("written", file, errno));
        info.st_size = 0;
    }
    if (at > info.st_size)
        throw std::runtime_error("bytes of " + path + " are missing before " + std::to_string(at) + "; they are asked for again");
    // What is there already may come once more after a request that crossed it.
    const auto known = static_cast<std::size_t>(info.st_size - at);
    if (known < bytes.size())
        writeAll(descriptor.number, file, bytes.substr(known), info.st_size);
}

void MirrorFolder::collect(const std::string& id, const std::string& path, const Json& message, std::string_view bytes)
{
    const std::int64_t at = numberField(message, "at"), size = numberField(message, "size"), mtimeNs = numberField(message, "mtime");
    if (size < 0 || size > kLongestWhole || mtimeNs < 0)
        throw std::runtime_error(contract::inQuotes(contract::shortened(path)) + " is larger than a mirror takes, or its size is not given");
    const fs::path file = place(id, path);
    const std::string key = id + "/" + path;
    std::string& content = m_incomplete[key];
    if (at == 0)
        content.clear();
    if (static_cast<std::size_t>(at) != content.size() || at + static_cast<std::int64_t>(bytes.size()) > size)
        throw std::runtime_error("bytes of " + path + " do not follow those before");
    content += bytes;
    std::int64_t incomplete = 0;
    for (const auto& each : m_incomplete)
        incomplete += static_cast<std::int64_t>(each.second.size());
    if (incomplete > kMostIncomplete)
        throw std::runtime_error("too many files are sent at once");
    if (static_cast<std::int64_t>(content.size()) < size)
        return;
    contract::AtomicFile out(file, 0);
    out.output().write(content.data(), content.size());
    out.finish(contract::Durability::Process);
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec time {.tv_sec = mtimeNs / kSecond, .tv_nsec = mtimeNs % kSecond};
    const timespec times[2] = {time, time};
    ::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW);
    m_incomplete.erase(key);
}

void MirrorFolder::remove(const std::string& id, const std::string& path)
{
    const fs::path file = place(id, path);
    ::unlink(file.c_str());
    if (fs::path(path).parent_path().has_parent_path())
        ::rmdir(file.parent_path().c_str());  // of a checkpoint, when nothing is left of it
}

bool MirrorFolder::takeStatus(const std::string& id, const SeenRun& seen)
{
    if (!isRunName(id) || m_seen.size() >= kMostRuns)
        throw std::runtime_error("a message is about " + contract::inQuotes(contract::shortened(id)) + ", which is no run");
    auto known = m_seen.find(id);
    if (const auto written = known == m_seen.end() ? seenRun(run(id)) : std::nullopt)
        known = m_seen.insert_or_assign(id, *written).first;
    if (known != m_seen.end() && known->second.stamp == seen.stamp && statusJson(known->second.status) == statusJson(seen.status))
        return false;
    requireRoom(m_data);
    requireFolder(m_data / "runs");
    requireFolder(run(id).root());
    writeSeenRun(run(id), seen);
    m_seen.insert_or_assign(id, seen);
    return true;
}

std::optional<SeenRun> MirrorFolder::seen(const std::string& id) const
{
    const auto known = m_seen.find(id);
    return known != m_seen.end() ? known->second : isRunName(id) ? seenRun(run(id)) : std::nullopt;
}

void MirrorFolder::removeRun(const std::string& id)
{
    if (!isRunName(id))
        throw std::runtime_error("a message is about " + contract::inQuotes(contract::shortened(id)) + ", which is no run");
    std::error_code error;
    fs::remove_all(run(id).root(), error);  // follows no links
    m_seen.erase(id);
}

}  // namespace launcher
