#include "ui/logs/log_line.h"

#include <array>
#include <utility>

namespace ui {

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
