// logs/supervisor.log
#pragma once
#include <filesystem>
#include <memory>
#include <string>

namespace launcher {

/// Lines like those of the ranks: "2026-11-21 10:15:00.123 [info] [supervisor] text". A log that cannot be
/// written is no reason to end training: what would go there is then lost.
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
