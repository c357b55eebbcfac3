#include "ui/logs/log_line.h"

#include <array>
#include <utility>

namespace ui {

std::int64_t logTime(std::string_view line)
{
    constexpr std::string_view kPattern = "dddd-dd-dd dd:dd:dd.ddd";
    if (line.size() < kPattern.size())
        return 0;
    std::int64_t time = 0;
    for (std::size_t at = 0; at < kPattern.size(); ++at) {
        const char character = line[at];
        if (kPattern[at] != 'd') {
            if (character != kPattern[at])
                return 0;
        } else if (character < '0' || character > '9') {
            return 0;
        } else {
            time = time * 10 + (character - '0');
        }
    }
    return time;
}

LogLevel logLevel(std::string_view line)
{
    static constexpr std::array<std::pair<std::string_view, LogLevel>, 8> kWords = {{
        {"[info]", LogLevel::Info}, {"[warning]", LogLevel::Warning}, {"[error]", LogLevel::Error},
        {"[debug]", LogLevel::Debug}, {"[critical]", LogLevel::Error}, {"[warn]", LogLevel::Warning},
        {"[err]", LogLevel::Error}, {"[trace]", LogLevel::Debug}}};
    if (line.starts_with("error:"))
        return LogLevel::Error;
    const std::size_t bracket = line.substr(0, 40).find('[');
    if (bracket == std::string_view::npos)
        return LogLevel::Unknown;
    for (const auto& [word, level] : kWords) {
        if (line.substr(bracket, word.size()) == word)
            return level;
    }
    return LogLevel::Unknown;
}

}  // namespace ui
