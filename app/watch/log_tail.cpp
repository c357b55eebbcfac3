#include "app/watch/log_tail.h"

#include "app/cli/format.h"
#include "app/cli/journal_tail.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/log_time.h"
#include "launcher/base/file_end.h"

#include <algorithm>

namespace app {
namespace {

std::vector<LogEntry> linesOf(const launcher::FileEnd& end, const ui::LogClock& clock)
{
    std::vector<LogEntry> lines;
    std::string_view rest = end.text;
    if (!end.isWhole)  // the first line is the rest of one
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    std::int64_t time = 0;
    while (!rest.empty()) {
        const std::size_t length = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, length);
        if (const std::int64_t own = contract::logTime(line); own > 0)
            time = clock.byRankZero(own);
        if (!line.empty())
            lines.push_back({time, ui::logLevel(line), printable(contract::shownLogLine(line))});
        rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    return lines;
}

}  // namespace

LogTail::LogTail(contract::RunFolder folder)
    : m_folder(std::move(folder))
{
}

void LogTail::update()
{
    constexpr std::int64_t kMostBytes = 16 * 1024;
    const auto clocks = contract::rankClocks(m_folder);
    for (const std::filesystem::path& path : contract::entriesOf(m_folder.logs())) {
        File& file = m_files[path];
        const std::int64_t size = sizeOf(path);
        const ui::LogClock clock(clocks, path);
        if ((size == file.size && clock.isLike(file.clock)) || path.extension() != ".log")
            continue;
        file.size = size;
        file.clock = clock;
        file.lines = linesOf(launcher::readFileEnd(path, 0, kMostBytes), clock);
    }
}

std::vector<LogEntry> LogTail::last(std::size_t count) const
{
    std::vector<LogEntry> all;
    for (const auto& [path, file] : m_files) {
        const std::size_t taken = std::min(count, file.lines.size());
        all.insert(all.end(), file.lines.end() - static_cast<std::ptrdiff_t>(taken), file.lines.end());
    }
    std::ranges::stable_sort(all, {}, &LogEntry::time);
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())));
    return all;
}

}  // namespace app
