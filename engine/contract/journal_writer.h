// Appends to one journal. See [Note: journals].
#pragma once
#include "engine/contract/journal.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace contract {

class JournalWriter {
public:
    /// Opens @p file for appending, ends a torn last line, and writes the header, whose startUnixMs
    /// and host are filled in here.
    /// @throws std::system_error naming the file.
    JournalWriter(const std::filesystem::path& file, JournalHeader header);
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;

    /// One record: begin, any number of add, then commit. No allocation once the buffer has grown.
    JournalWriter& begin(std::string_view type, std::int64_t step);
    JournalWriter& add(std::string_view name, double value);
    JournalWriter& add(std::string_view name, std::int64_t value);
    JournalWriter& add(std::string_view name, std::string_view text);

    /// Hands the record to the system in one write(): when this returns, the value is journalled.
    /// After a failure the journal can be used again; the record is lost.
    /// @throws std::system_error naming the file (a full disk, for one).
    void commit();

    const JournalHeader& header() const { return m_header; }

private:
    void appendName(std::string_view name);
    void writeLine();

    std::filesystem::path m_file;
    JournalHeader m_header;
    int m_descriptor = -1;
    bool m_isTorn = false;
    std::string m_line;
    std::chrono::steady_clock::time_point m_start;
};

}  // namespace contract
