// Follows a journal that another process appends to.
#pragma once
#include "engine/contract/journal_parser.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace app {

class JournalTail {
public:
    /// @param offset bytes to pass over: former attempts. The file need not exist yet.
    JournalTail(std::filesystem::path file, std::int64_t offset);

    /// Hands over every line that was completed since the last call; costs one stat() when there is none.
    void poll(const std::function<void(const contract::JournalLine&)>& onLine);

private:
    bool readMore();

    std::filesystem::path m_file;
    std::int64_t m_offset;
    std::string m_pending;  ///< from the last newline on
    contract::JournalParser m_parser;
};

/// Size of a file, 0 when there is none.
std::int64_t sizeOf(const std::filesystem::path& file);

}  // namespace app
