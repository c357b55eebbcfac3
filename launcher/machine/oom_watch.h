// Detects that the kernel has killed a process because memory ran out.
#pragma once
#include <cstdint>
#include <filesystem>

namespace launcher {

/// Reads the out-of-memory kills of this process's memory control group if it has one (containers, systemd units), else
/// those of the whole machine.
class OomWatch {
public:
    OomWatch();

    /// Remembers the current count, with which hasKilledSinceMark() compares.
    void mark() { m_marked = count(); }
    bool hasKilledSinceMark() const { return count() > m_marked; }

private:
    std::int64_t count() const;

    std::filesystem::path m_file;
    std::int64_t m_marked = 0;
};

}  // namespace launcher
