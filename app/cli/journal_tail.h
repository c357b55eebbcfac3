// Reads the lines that another process appends to a journal.
#pragma once
#include "engine/contract/run/journal_parser.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace app {

class JournalTail {
public:
    /// @param offset bytes to skip, those of earlier attempts. The file need not exist yet.
    JournalTail(std::filesystem::path file, std::int64_t offset);

    /// Calls @p onLine with every line that was completed since the last call. Costs one stat() when there is none.
    void poll(const std::function<void(const contract::JournalLine&)>& onLine);

private:
    bool readMore();

    std::filesystem::path m_file;
    std::int64_t m_offset;
    std::string m_pending;  ///< what was read after the last newline
    contract::JournalParser m_parser;
};

/// Size of a file in bytes; 0 when there is none.
std::int64_t sizeOf(const std::filesystem::path& file);

}  // namespace app
