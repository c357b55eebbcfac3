#include "launcher/remote/served_files.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/checkpoint/damage_mark.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/data_manifest.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace launcher {
namespace {

constexpr std::array kDepths = {FileDepth::Facts, FileDepth::Records, FileDepth::Logs, FileDepth::Samples};

std::vector<std::string_view> partsOf(std::string_view path)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        parts.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

bool isPlainName(std::string_view name)
{
    constexpr std::size_t kLongest = 200;
    return !name.empty() && name.size() <= kLongest && name.front() != '.' && contract::isUtf8(name) && contract::escapedBytes(name) == name;
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

std::optional<FileDepth> depthInFolder(std::string_view folder, std::string_view name)
{
    if (folder == "journal" && name.ends_with(".jsonl"))
        return FileDepth::Records;
    if (folder == "logs" && name.ends_with(".log"))
        return FileDepth::Logs;
    return folder == "samples" ? std::optional(FileDepth::Samples) : std::nullopt;
}

}  // namespace

std::string_view depthName(FileDepth depth)
{
    switch (depth) {
    case FileDepth::Facts:
        return "facts";
    case FileDepth::Records:
        return "records";
    case FileDepth::Logs:
        return "logs";
    case FileDepth::Samples:
        break;
    }
    return "samples";
}

std::optional<FileDepth> depthCalled(std::string_view name)
{
    const auto* found = std::ranges::find_if(kDepths, [&](FileDepth depth) { return depthName(depth) == name; });
    return found == kDepths.end() ? std::nullopt : std::optional(*found);
}

std::optional<FileDepth> servedDepth(std::string_view path)
{
    const std::vector<std::string_view> parts = partsOf(path);
    if (!std::ranges::all_of(parts, isPlainName))
        return std::nullopt;
    if (parts.size() == 1) {
        if (path == "annotations.jsonl" || path == "origin.json")
            return FileDepth::Facts;
        if (path == "control.jsonl")
            return FileDepth::Records;
        return path == contract::kDataManifestFile ? std::optional(FileDepth::Logs) : std::nullopt;
    }
    if (parts.size() == 2)
        return depthInFolder(parts[0], parts[1]);
    if (parts.size() != 3)
        return std::nullopt;
    if (parts[0] == "attempts" && parts[1].find_first_not_of("0123456789") == std::string_view::npos
        && (parts[2] == "config.toml" || parts[2] == "start.json" || parts[2] == "estimate.json" || parts[2] == "forecast.json"))
        return FileDepth::Facts;
    if (parts[0] == "checkpoints" && (parts[2] == contract::kManifestFile || parts[2] == contract::kPinFile || parts[2] == contract::kDamageFile))
        return FileDepth::Records;
    return std::nullopt;
}

bool isGrowing(std::string_view path)
{
    return path.starts_with("journal/") || path.starts_with("logs/") || path == "annotations.jsonl" || path == "control.jsonl";
}

void ServedFiles::addFile(const std::string& path, std::vector<ServedFile>& files) const
{
    struct stat info {};
    if (::lstat((m_root / path).c_str(), &info) == 0 && S_ISREG(info.st_mode))
        files.push_back({path, info.st_size, nanoseconds(info.st_mtim)});
}

void ServedFiles::addFolder(const std::string& folder, std::vector<ServedFile>& files)
{
    struct stat info {};
    if (::stat((m_root / folder).c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
        return;
    Listing& listing = m_known[folder];
    const bool isUnchanged = listing.isSettled && listing.mtimeNs == nanoseconds(info.st_mtim);
    if (!isUnchanged || isGrowing(folder + "/")) {
        timespec now {};
        ::clock_gettime(CLOCK_REALTIME, &now);
        constexpr std::int64_t kSettlesNs = 2'000'000'000;  // coarser clocks and network disks included
        listing = {.mtimeNs = nanoseconds(info.st_mtim), .isSettled = nanoseconds(now) - nanoseconds(info.st_mtim) > kSettlesNs, .files = {}};
        for (const std::filesystem::path& entry : contract::entriesOf(m_root / folder)) {
            const std::string path = folder + "/" + entry.filename().string();
            if (servedDepth(path))
                addFile(path, listing.files);
        }
    }
    files.insert(files.end(), listing.files.begin(), listing.files.end());
}

std::vector<ServedFile> ServedFiles::list(FileDepth depth)
{
    std::vector<ServedFile> files;
    for (const char* name : {"annotations.jsonl", "origin.json"})
        addFile(name, files);
    for (const std::filesystem::path& attempt : contract::entriesOf(m_root / "attempts"))
        addFolder("attempts/" + attempt.filename().string(), files);
    if (depth >= FileDepth::Records) {
        addFile("control.jsonl", files);
        addFolder("journal", files);
        for (const std::filesystem::path& checkpoint : contract::entriesOf(m_root / "checkpoints"))
            addFolder("checkpoints/" + checkpoint.filename().string(), files);
    }
    if (depth >= FileDepth::Logs) {
        addFile(contract::kDataManifestFile, files);
        addFolder("logs", files);
    }
    if (depth >= FileDepth::Samples)
        addFolder("samples", files);
    return files;
}

std::string factsStamp(const std::filesystem::path& root)
{
    contract::Checksum checksum;
    for (const ServedFile& file : ServedFiles(root).list(FileDepth::Facts)) {
        const std::string text = file.path + ":" + std::to_string(file.size) + ":" + std::to_string(file.mtimeNs) + "\n";
        checksum.add(text.data(), text.size());
    }
    return checksum.text();
}

}  // namespace launcher
