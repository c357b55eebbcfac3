// The last lines of a run's logs, those of all ranks and the supervisor merged by time.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "ui/logs/log_clock.h"
#include "ui/logs/log_line.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace app {

struct LogEntry {
    std::int64_t time = 0;  ///< in milliseconds since 1970, by rank 0's clock; of a line without one, the time of the line before it
    ui::LogLevel level = ui::LogLevel::Unknown;
    std::string text;  ///< fit for a terminal
};

class LogTail {
public:
    explicit LogTail(contract::RunFolder folder);

    /// Reads the ends of the files that have changed.
    void update();

    /// The last lines, at most @p count, oldest first.
    std::vector<LogEntry> last(std::size_t count) const;

private:
    struct File {
        std::int64_t size = -1;
        ui::LogClock clock;
        std::vector<LogEntry> lines;
    };
    contract::RunFolder m_folder;
    std::map<std::filesystem::path, File> m_files;
};

}  // namespace app
