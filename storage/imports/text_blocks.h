// Reads a text file of any size in blocks, with little memory.
#pragma once
#include "engine/contract/formats/input_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace storage {

/// Reads up to the size that the file has when it is opened; a byte order mark of UTF-8 at its beginning is left out.
/// All functions throw std::runtime_error naming the file when it cannot be read.
class TextBlocks {
public:
    explicit TextBlocks(const std::filesystem::path& file);

    /// The bytes that come next: at least @p bytes, or all that are left when isLast(). Valid until the next call.
    std::string_view ahead(std::size_t bytes)
    {
        if (m_end - m_at < bytes && !isLast())
            fill(bytes);
        return {m_buffer.data() + m_at, m_end - m_at};
    }
    void skip(std::size_t bytes) { m_at += bytes; }  ///< at most as many as ahead() has returned
    bool isLast() const { return m_read == m_file.bytes(); }  ///< ahead() returns all that is left
    std::uint64_t offset() const { return m_read - (m_end - m_at); }  ///< of the next byte
    const std::filesystem::path& file() const { return m_file.path(); }

private:
    void fill(std::size_t bytes);

    contract::InputFile m_file;
    std::string m_buffer;
    std::size_t m_at = 0;   ///< in m_buffer, of the next byte
    std::size_t m_end = 0;  ///< in m_buffer, behind the last byte that was read
    std::uint64_t m_read = 0;  ///< bytes of the file
};

}  // namespace storage
