#include "engine/contract/run/control.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/output_file.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>

namespace contract {
namespace {

constexpr std::array kCommands = {Command::Stop, Command::Checkpoint, Command::Sample};

std::optional<Command> readCommand(const std::string& line)
{
    const auto json = parsedOrDiscarded(line);
    if (!json.is_object() || !json.contains("cmd") || !json["cmd"].is_string())
        return std::nullopt;
    for (const Command command : kCommands) {
        if (json["cmd"].get_ref<const std::string&>() == commandName(command))
            return command;
    }
    return std::nullopt;
}

}  // namespace

std::string_view commandName(Command command)
{
    switch (command) {
    case Command::Stop:
        return "stop";
    case Command::Checkpoint:
        return "checkpoint";
    case Command::Sample:
        return "sample";
    }
    return "";
}

void appendCommand(const std::filesystem::path& file, Command command)
{
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const std::string line = "{\"v\":1,\"t_unix_ms\":" + std::to_string(now.count()) + ",\"cmd\":\""
        + std::string(commandName(command)) + "\"}\n";
    appendLines(file, line, Durability::Process);
}

CommandReader::CommandReader(std::filesystem::path file, std::int64_t offset)
    : m_file(std::move(file))
    , m_offset(offset)
{
}

std::vector<Command> CommandReader::poll()
{
    constexpr std::int64_t kMaxBytes = 1 << 20;
    struct stat info {};
    if (::stat(m_file.c_str(), &info) != 0 || info.st_size <= m_offset)
        return {};
    const int descriptor = openRegularFile(m_file, O_RDONLY, Links::Refuse);
    if (descriptor < 0)
        return {};
    std::string text(static_cast<std::size_t>(std::min(info.st_size - m_offset, kMaxBytes)), '\0');
    const ssize_t count = ::pread(descriptor, text.data(), text.size(), m_offset);
    ::close(descriptor);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);

    std::vector<Command> commands;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
        if (const auto command = readCommand(text.substr(begin, end - begin)))
            commands.push_back(*command);
    }
    // A line that fills a whole read is not a command; skip it, or the commands after it would never be reached.
    const bool isTooLong = begin == 0 && static_cast<std::int64_t>(text.size()) == kMaxBytes;
    m_offset += static_cast<std::int64_t>(isTooLong ? text.size() : begin);
    return commands;
}

}  // namespace contract
