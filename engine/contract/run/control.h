// Commands to a running experiment. The supervisor appends them to control.jsonl; rank 0 reads them between
// steps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

enum class Command {
    Stop,        ///< finish the step, write a checkpoint, exit
    Checkpoint,  ///< write a checkpoint now
    Sample,      ///< generate samples now
};

/// "stop", "checkpoint", "sample": the value of "cmd" in control.jsonl.
std::string_view commandName(Command command);

/// Appends one line {"v":1,"t_unix_ms":…,"cmd":"stop"}. @throws std::system_error naming the file.
void appendCommand(const std::filesystem::path& file, Command command);

/// Reads the commands that are appended to a control file.
class CommandReader {
public:
    /// @param offset bytes to skip, which hold the commands of earlier attempts
    CommandReader(std::filesystem::path file, std::int64_t offset);

    /// Returns the commands appended since the last call, in order. Costs one stat() when there are none. A missing
    /// file counts as empty; lines that are not commands are skipped.
    std::vector<Command> poll();

private:
    std::filesystem::path m_file;
    std::int64_t m_offset;
};

}  // namespace contract
