// XXH3-64 checksums of file contents. Hashing is faster than any disk.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contract {

/// Incremental checksum. The result depends only on the byte sequence, not on how add() calls split it.
class Checksum {
public:
    Checksum();
    ~Checksum();
    void add(const void* data, std::size_t bytes);
    std::uint64_t value() const;  ///< checksum of the bytes added so far
    std::string text() const;     ///< the same as 16 hexadecimal digits
    void reset();                 ///< starts again without any bytes

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Checksum of @p bytes bytes of memory, equal to that of Checksum.
std::uint64_t checksumOf(const void* data, std::size_t bytes);

/// Checksums of the consecutive blocks of a byte sequence; only the last block may be shorter than the others.
class BlockChecksums {
public:
    explicit BlockChecksums(std::size_t blockBytes)
        : m_blockBytes(blockBytes)
    {
    }
    void add(const void* data, std::size_t bytes);
    std::vector<std::uint64_t> finish();  ///< checksums of all blocks, in order; call it once, after the last add()

private:
    std::size_t m_blockBytes;
    std::size_t m_filled = 0;  ///< bytes in the block that is not complete yet
    Checksum m_block;
    std::vector<std::uint64_t> m_complete;
};

/// Checksum of the whole content of @p file, in the form of Checksum::text().
/// @param isWanted asked after each MB; once it says no, the result is empty
/// @throws std::runtime_error naming the file when it cannot be read.
std::string checksumOf(const std::filesystem::path& file, const std::function<bool()>& isWanted = {});

}  // namespace contract
