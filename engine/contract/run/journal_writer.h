// Appends records to one journal. See [Note: journals].
#pragma once
#include "engine/contract/run/journal.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace contract {

class JournalWriter {
public:
    /// Opens @p file for appending, terminates a torn last line and writes the header. Sets the header's
    /// startUnixMs and host.
    /// @throws std::system_error naming the file.
    JournalWriter(const std::filesystem::path& file, JournalHeader header);
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;

    /// Writes one record: call begin(), add() any number of times, then commit(). Does not allocate once the buffer has grown.
    JournalWriter& begin(std::string_view type, std::int64_t step);
    JournalWriter& add(std::string_view name, double value);
    JournalWriter& add(std::string_view name, std::int64_t value);
    JournalWriter& add(std::string_view name, std::string_view text);  ///< cut after kLongestText bytes

    /// Passes the record to the system in one write(). When this returns, the record survives a crash of the process.
    /// After a failure the record is lost, but the journal can still be used.
    /// @throws std::system_error naming the file, for example when the disk is full.
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
