// Whether the kernel killed something because memory ran out.
#pragma once
#include <cstdint>
#include <filesystem>

namespace launcher {

/// Counts of our control group when it has one (containers, systemd units), else of the whole machine.
class OomWatch {
public:
    OomWatch();

    /// Remembers the count of now; a kill that is noticed later came after this.
    void mark() { m_marked = count(); }
    bool hasKilledSinceMark() const { return count() > m_marked; }

private:
    std::int64_t count() const;

    std::filesystem::path m_file;
    std::int64_t m_marked = 0;
};

}  // namespace launcher
