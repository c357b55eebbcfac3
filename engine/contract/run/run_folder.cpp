#include "engine/contract/run/run_folder.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <random>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

/// Numbers N of the folder's entries named "<prefix>N" that have an entry called @p marker, ascending; of all when @p marker is
/// empty.
std::vector<std::int64_t> numberedEntries(
    const fs::path& folder, std::string_view prefix, std::string_view marker, std::error_code& error)
{
    std::vector<std::int64_t> numbers;
    for (const fs::path& entry : entriesOf(folder, error)) {
        const std::string name = entry.filename().string();
        if (!name.starts_with(prefix))
            continue;
        const auto number = parseInteger(std::string_view(name).substr(prefix.size()));
        // Skip "007": Atelier names the folder of step 7 without zeros.
        const bool isCanonical = number && *number >= 0 && name == std::string(prefix) + std::to_string(*number);
        if (isCanonical && (marker.empty() || hasEntry(entry / marker)))
            numbers.push_back(*number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

std::string rankFile(int rank, std::string_view ending)
{
    const std::string stem = rank == kHostRank ? "host" : rank < 0 ? "supervisor" : "rank-" + std::to_string(rank);
    return stem + std::string(ending);
}

}  // namespace

RunFolder::RunFolder(fs::path root)
    : m_root(std::move(root))
{
}

fs::path RunFolder::attempt(int number) const { return m_root / "attempts" / std::to_string(number); }
fs::path RunFolder::config(int number) const { return attempt(number) / "config.toml"; }
fs::path RunFolder::start(int number) const { return attempt(number) / "start.json"; }
fs::path RunFolder::journals() const { return m_root / "journal"; }
fs::path RunFolder::journal(int rank) const { return journals() / rankFile(rank, ".jsonl"); }
fs::path RunFolder::logs() const { return m_root / "logs"; }
fs::path RunFolder::log(int rank) const { return logs() / rankFile(rank, ".log"); }
fs::path RunFolder::checkpoints() const { return m_root / "checkpoints"; }
fs::path RunFolder::model() const { return m_root / "model"; }
fs::path RunFolder::samples() const { return m_root / "samples"; }
fs::path RunFolder::control() const { return m_root / "control.jsonl"; }
fs::path RunFolder::annotations() const { return m_root / "annotations.jsonl"; }
fs::path RunFolder::supervisorLock() const { return m_root / "supervisor.lock"; }
fs::path RunFolder::checkpoint(std::int64_t step) const
{
    return checkpoints() / ("step-" + std::to_string(step));
}

std::vector<int> RunFolder::attempts() const
{
    std::error_code ignored;
    return attempts(ignored);
}

std::vector<int> RunFolder::attempts(std::error_code& error) const
{
    const auto numbers = numberedEntries(m_root / "attempts", "", "start.json", error);
    return {numbers.begin(), numbers.end()};
}

std::vector<std::int64_t> RunFolder::checkpointSteps() const
{
    std::error_code ignored;
    return checkpointSteps(ignored);
}

std::vector<std::int64_t> RunFolder::checkpointSteps(std::error_code& error) const
{
    return numberedEntries(checkpoints(), "step-", "manifest.json", error);
}

std::vector<std::int64_t> RunFolder::checkpointFolders() const
{
    std::error_code ignored;
    return numberedEntries(checkpoints(), "step-", "", ignored);
}

fs::path RunFolder::formerCheckpoint(std::int64_t step, std::int64_t number) const
{
    return checkpoint(step).string() + "-former-" + std::to_string(number);
}

std::vector<FormerCheckpoint> RunFolder::formerCheckpoints() const
{
    constexpr std::string_view kStart = "step-", kBetween = "-former-";
    std::vector<FormerCheckpoint> found;
    for (const fs::path& entry : entriesOf(checkpoints())) {
        const std::string name = entry.filename().string();
        const std::size_t between = name.find(kBetween);
        if (!name.starts_with(kStart) || between == std::string::npos)
            continue;
        const auto step = parseInteger(std::string_view(name).substr(kStart.size(), between - kStart.size()));
        const auto number = parseInteger(std::string_view(name).substr(between + kBetween.size()));
        if (step && number && *step >= 0 && entry == formerCheckpoint(*step, *number))
            found.push_back({*step, *number});
    }
    std::ranges::sort(found, {}, [](const FormerCheckpoint& each) { return std::pair(each.step, each.number); });
    return found;
}

AttemptStart RunFolder::readStart(int attemptNumber) const
{
    constexpr std::uint64_t kMaxBytes = 1 << 20;
    const fs::path file = start(attemptNumber);
    const JsonConfig json(file, fileContent(file, kMaxBytes, Links::Refuse));
    if (json.integer("v") != 1)
        json.fail("v", "must be 1: the file was written by a newer Atelier; update this one");
    AttemptStart result;
    result.attempt = static_cast<int>(json.count("attempt"));
    result.startUnixMs = json.integer("t_unix_ms");
    result.ranks = static_cast<int>(json.count("ranks"));
    result.host = json.text("host");
    const JsonConfig versions = json.object("versions");
    for (const auto& [program, version] : versions.json().items())
        result.versions[program] = versions.text(program);
    result.parentCheckpoint = json.text("parent_checkpoint");
    result.parentStep = json.integer("parent_step");
    result.controlOffset = json.integer("control_offset");
    result.parentAttempt = static_cast<int>(json.integer("parent_attempt", 0));
    result.notice = json.text("notice", "");
    return result;
}

void RunFolder::writeStart(const AttemptStart& start) const
{
    nlohmann::json json = {{"v", 1}, {"attempt", start.attempt},
        {"t_unix_ms", start.startUnixMs}, {"ranks", start.ranks}, {"host", start.host},
        {"versions", start.versions}, {"parent_checkpoint", start.parentCheckpoint},
        {"parent_step", start.parentStep}, {"control_offset", start.controlOffset}};
    if (start.parentAttempt > 0)
        json["parent_attempt"] = start.parentAttempt;
    if (!start.notice.empty())
        json["notice"] = start.notice;
    writeFileAtomically(this->start(start.attempt), jsonText(json, 2) + "\n");
}

std::string makeRunId(std::string_view name, std::chrono::system_clock::time_point now)
{
    std::string id;
    for (const char raw : name.substr(0, 40)) {
        const auto character = static_cast<unsigned char>(raw);
        const bool isPlain = character < 128 && (std::isalnum(character) || raw == '.' || raw == '_');
        id += isPlain ? static_cast<char>(std::tolower(character)) : '-';
    }
    if (id.find_first_not_of("-.") == std::string::npos)
        id = "run";
    if (id.front() == '.' || id.front() == '-')
        id.insert(0, "run");

    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local {};
    ::localtime_r(&seconds, &local);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "-%Y%m%d-%H%M%S-", &local);
    id += stamp;

    std::random_device random;
    for (int i = 0; i < 4; ++i)
        id += "0123456789abcdefghijklmnopqrstuvwxyz"[random() % 36];
    return id;
}

}  // namespace contract
