// Writes and reads POSIX tar archives of folders and regular files, as a stream of bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace launcher {

struct TarEntry {
    std::string path;  ///< relative, with "/" between its parts and none at its end
    bool isFolder = false;
    std::uint64_t bytes = 0;  ///< of a file
    std::int64_t changedSeconds = 0;  ///< modification time, since 1970
};

/// Bytes of an entry in an archive, its header and padding included.
std::uint64_t tarBytes(const TarEntry& entry);
/// Bytes after the last entry.
inline constexpr std::uint64_t kTarEndBytes = 1024;

class TarWriter {
public:
    using Write = std::function<void(const void* data, std::size_t bytes)>;

    explicit TarWriter(Write write);

    /// Begins an entry; as many bytes as it says must follow by write(). Paths of over 100 bytes and files of over 8 GB have an extended
    /// header (pax).
    void begin(const TarEntry& entry);
    void write(const void* data, std::size_t bytes);
    void finish();  ///< call once, after the last entry

private:
    void writeHeader(const std::string& path, char type, std::uint64_t bytes, std::int64_t changedSeconds);
    void pad();

    Write m_write;
    std::uint64_t m_position = 0;
};

class TarReader {
public:
    /// Reads up to @p bytes bytes; fewer only at the end.
    using Read = std::function<std::size_t(void* data, std::size_t bytes)>;

    explicit TarReader(Read read);

    /// The next entry; nullopt at the end of the archive. What was not read of the former entry is skipped.
    /// @throws std::runtime_error, one sentence, when this is no tar archive, is damaged or cut off, or has an entry that is neither a
    ///         regular file nor a folder
    std::optional<TarEntry> next();
    /// Reads the content of the entry; 0 at its end. The same errors.
    std::size_t read(void* data, std::size_t bytes);

private:
    void require(void* data, std::size_t bytes);
    std::string readText(std::uint64_t bytes);
    void skip(std::uint64_t bytes);

    Read m_read;
    std::uint64_t m_left = 0;     ///< bytes of the entry that have not been read
    std::uint64_t m_padding = 0;  ///< bytes behind it
};

}  // namespace launcher
