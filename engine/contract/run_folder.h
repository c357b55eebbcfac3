// Where things lie in a run's folder, which is the truth about the run.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// What attempts/N/start.json says.
struct AttemptStart {
    int attempt = 1;
    std::int64_t startUnixMs = 0;
    int ranks = 1;
    std::string host;
    std::map<std::string, std::string> versions;  ///< "atelier" → "0.1.0"
    std::string parentCheckpoint;  ///< "checkpoints/step-500", relative; empty: from scratch
    std::int64_t parentStep = 0;   ///< its step; earlier attempts are superseded after it
    std::int64_t controlOffset = 0;  ///< where this attempt's commands begin in control.jsonl
};

class RunFolder {
public:
    explicit RunFolder(std::filesystem::path root);

    const std::filesystem::path& root() const { return m_root; }
    std::string id() const { return m_root.filename().string(); }

    std::filesystem::path attempt(int number) const;          ///< attempts/N
    std::filesystem::path config(int attemptNumber) const;    ///< attempts/N/config.toml
    std::filesystem::path start(int attemptNumber) const;     ///< attempts/N/start.json
    std::filesystem::path journals() const;                   ///< journal
    std::filesystem::path journal(int rank) const;            ///< journal/rank-N.jsonl, supervisor.jsonl for -1
    std::filesystem::path logs() const;                       ///< logs
    std::filesystem::path log(int rank) const;                ///< logs/rank-N.log, supervisor.log for -1
    std::filesystem::path checkpoints() const;                ///< checkpoints
    std::filesystem::path checkpoint(std::int64_t step) const;  ///< checkpoints/step-N
    std::filesystem::path samples() const;                    ///< samples
    std::filesystem::path model() const;                      ///< model: what one that began from nothing is, but for its weights
    std::filesystem::path control() const;                    ///< control.jsonl
    std::filesystem::path annotations() const;                ///< annotations.jsonl
    std::filesystem::path supervisorLock() const;             ///< supervisor.lock

    /// Numbers of the attempts that have a start.json, ascending.
    std::vector<int> attempts() const;

    /// Steps of the complete checkpoints (those with a manifest), ascending.
    std::vector<std::int64_t> checkpointSteps() const;

    /// @throws std::runtime_error naming the file when it is missing or malformed.
    AttemptStart readStart(int attemptNumber) const;
    /// Atomic: a temporary file, fsync, rename. @throws std::runtime_error naming the file.
    void writeStart(const AttemptStart& start) const;

private:
    std::filesystem::path m_root;
};

/// "name-YYYYMMDD-HHMMSS-xxxx" in local time: name reduced to [a-z0-9._-] and 40 characters, xxxx random.
std::string makeRunId(std::string_view name, std::chrono::system_clock::time_point now);

/// Replaces @p file by @p content: temporary file beside it, fsync, rename, fsync of the folder.
/// @throws std::system_error naming the file; the old content is then still there.
void writeFileAtomically(const std::filesystem::path& file, std::string_view content);

}  // namespace contract
