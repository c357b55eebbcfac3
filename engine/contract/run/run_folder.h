// Paths in a run's folder, which is the authoritative record of the run.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace contract {

/// The content of attempts/N/start.json.
struct AttemptStart {
    int attempt = 1;  ///< number of the attempt, from 1
    std::int64_t startUnixMs = 0;
    int ranks = 1;
    std::string host;
    std::map<std::string, std::string> versions;  ///< "atelier" → "0.1.0"
    std::string parentCheckpoint;  ///< "checkpoints/step-500", relative to the run's folder; empty: starts from scratch
    std::int64_t parentStep = 0;   ///< its step; what is superseded follows from it, see lineage.h
    std::int64_t controlOffset = 0;  ///< byte offset in control.jsonl at which this attempt's commands begin
    int parentAttempt = 0;  ///< which attempt wrote that checkpoint; 0: not known, or from scratch
    std::string notice = {};  ///< what rank 0 writes to its journal first, such as damaged checkpoints; often empty
};

/// The folder checkpoints/step-N-former-1 holds a checkpoint of step N.
struct FormerCheckpoint {
    std::int64_t step = 0;
    std::int64_t number = 1;
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
    std::filesystem::path journal(int rank) const;            ///< journal/rank-N.jsonl, supervisor.jsonl for -1, host.jsonl for -2
    std::filesystem::path logs() const;                       ///< logs
    std::filesystem::path log(int rank) const;                ///< logs/rank-N.log, supervisor.log for -1
    std::filesystem::path checkpoints() const;                ///< checkpoints
    std::filesystem::path checkpoint(std::int64_t step) const;  ///< checkpoints/step-N
    std::filesystem::path formerCheckpoint(std::int64_t step, std::int64_t number) const;  ///< checkpoints/step-N-former-1
    std::filesystem::path samples() const;                    ///< samples
    std::filesystem::path model() const;  ///< model: description, without weights, of a model trained from scratch
    std::filesystem::path control() const;                    ///< control.jsonl
    std::filesystem::path annotations() const;                ///< annotations.jsonl
    std::filesystem::path supervisorLock() const;             ///< supervisor.lock

    /// Numbers of the attempts that have a start.json, readable or not, ascending. Empty when the folder of the attempts cannot
    /// be read; the second form then sets @p error, also when that folder is missing.
    std::vector<int> attempts() const;
    std::vector<int> attempts(std::error_code& error) const;

    /// Steps of the complete checkpoints (those with a manifest, readable or not), ascending. As for attempts().
    std::vector<std::int64_t> checkpointSteps() const;
    std::vector<std::int64_t> checkpointSteps(std::error_code& error) const;

    /// Steps of everything named as a checkpoint, ascending. One that is not in checkpointSteps() has lost its manifest: a folder
    /// gets such a name only when its checkpoint is complete.
    std::vector<std::int64_t> checkpointFolders() const;

    /// Pinned checkpoints in whose place another attempt has written one of the same step, by step and number.
    std::vector<FormerCheckpoint> formerCheckpoints() const;

    /// Reads start.json. @throws std::runtime_error in one sentence naming the file when it is missing or malformed.
    AttemptStart readStart(int attemptNumber) const;
    /// Writes start.json atomically: temporary file, fsync, rename. @throws std::runtime_error naming the file.
    void writeStart(const AttemptStart& start) const;

private:
    std::filesystem::path m_root;
};

/// Returns "name-YYYYMMDD-HHMMSS-xxxx" in local time: the name in lower case, reduced to [a-z0-9._-] and 40 characters;
/// xxxx is random.
std::string makeRunId(std::string_view name, std::chrono::system_clock::time_point now);

}  // namespace contract
