// Detects that the kernel has killed a process because memory ran out.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>

namespace launcher {

/// Reads the out-of-memory kills of this process's memory control group if it has one (containers, systemd units), and those of
/// the whole machine, which also count where the group was removed while the process lived.
class OomWatch {
public:
    OomWatch();

    /// Remembers the current counts, with which hasKilledSinceMark() compares.
    void mark();
    bool hasKilledSinceMark() const;

private:
    struct Counter {
        std::filesystem::path file;
        std::int64_t marked = 0;
    };
    std::array<Counter, 2> m_counters;
};

}  // namespace launcher
