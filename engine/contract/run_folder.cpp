#include "engine/contract/run_folder.h"

#include "engine/contract/output_file.h"
#include "engine/contract/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>

namespace contract {
namespace {

namespace fs = std::filesystem;

/// Numbers N of the entries "<prefix>N" of a folder for which isComplete holds, ascending.
template <typename IsComplete>
std::vector<std::int64_t> numberedEntries(
    const fs::path& folder, std::string_view prefix, IsComplete isComplete)
{
    std::vector<std::int64_t> numbers;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(prefix))
            continue;
        const auto number = parseInteger(std::string_view(name).substr(prefix.size()));
        // "007" is not ours: the folder of 7 has another name.
        const bool isOurs = number && *number >= 0 && name == std::string(prefix) + std::to_string(*number);
        if (isOurs && isComplete(entry->path()))
            numbers.push_back(*number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

std::string rankFile(int rank, std::string_view ending)
{
    const std::string stem = rank < 0 ? "supervisor" : "rank-" + std::to_string(rank);
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
    const auto numbers = numberedEntries(m_root / "attempts", "",
        [](const fs::path& folder) { return fs::exists(folder / "start.json"); });
    return {numbers.begin(), numbers.end()};
}

std::vector<std::int64_t> RunFolder::checkpointSteps() const
{
    return numberedEntries(checkpoints(), "step-",
        [](const fs::path& folder) { return fs::exists(folder / "manifest.json"); });
}

AttemptStart RunFolder::readStart(int attemptNumber) const
{
    const fs::path file = start(attemptNumber);
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw std::runtime_error(file.string() + ": cannot be read");
    try {
        const auto json = nlohmann::json::parse(stream);
        if (json.at("v").get<int>() != 1)
            throw std::runtime_error("written by a newer Atelier");
        AttemptStart result;
        result.attempt = json.at("attempt").get<int>();
        result.startUnixMs = json.at("t_unix_ms").get<std::int64_t>();
        result.ranks = json.at("ranks").get<int>();
        result.host = json.at("host").get<std::string>();
        result.versions = json.at("versions").get<std::map<std::string, std::string>>();
        result.parentCheckpoint = json.at("parent_checkpoint").get<std::string>();
        result.parentStep = json.at("parent_step").get<std::int64_t>();
        result.controlOffset = json.at("control_offset").get<std::int64_t>();
        return result;
    } catch (const std::exception& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
}

void RunFolder::writeStart(const AttemptStart& start) const
{
    const nlohmann::json json = {{"v", 1}, {"attempt", start.attempt},
        {"t_unix_ms", start.startUnixMs}, {"ranks", start.ranks}, {"host", start.host},
        {"versions", start.versions}, {"parent_checkpoint", start.parentCheckpoint},
        {"parent_step", start.parentStep}, {"control_offset", start.controlOffset}};
    const auto replace = nlohmann::json::error_handler_t::replace;
    writeFileAtomically(this->start(start.attempt), json.dump(2, ' ', false, replace) + "\n");
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

void writeFileAtomically(const fs::path& file, std::string_view content)
{
    AtomicFile atomic(file, content.size());
    atomic.output().write(content.data(), content.size());
    atomic.finish();
}

}  // namespace contract
