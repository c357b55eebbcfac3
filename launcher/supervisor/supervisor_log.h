// The supervisor's log, logs/supervisor.log.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

namespace launcher {

/// Writes lines in the format of the ranks' logs: "2026-11-21 10:15:00.123+01:00 [info] [supervisor] text". Training continues
/// when the log cannot be written; the lines are then lost.
class SupervisorLog {
public:
    explicit SupervisorLog(const std::filesystem::path& file);
    ~SupervisorLog();

    void info(const std::string& text);
    void warning(const std::string& text);
    void error(const std::string& text);

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

}  // namespace launcher
