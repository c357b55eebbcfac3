// Commands to a running experiment, as the supervisor appends them to control.jsonl and rank 0 reads
// them between steps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

enum class Command {
    Stop,        ///< finish the step, write a checkpoint, leave
    Checkpoint,  ///< write a checkpoint now
    Sample,      ///< draw samples now
};

/// "stop", "checkpoint", "sample": the word on the wire.
std::string_view commandName(Command command);

/// Appends one line {"v":1,"t_unix_ms":…,"cmd":"stop"}. @throws std::system_error naming the file.
void appendCommand(const std::filesystem::path& file, Command command);

/// Follows a control file.
class CommandReader {
public:
    /// @param offset bytes to pass over: commands of former attempts.
    CommandReader(std::filesystem::path file, std::int64_t offset);

    /// Commands appended since the last call, in order. Costs one stat() when there is none; a missing
    /// file is an empty one; lines that are no command are passed over.
    std::vector<Command> poll();

private:
    std::filesystem::path m_file;
    std::int64_t m_offset;
};

}  // namespace contract
