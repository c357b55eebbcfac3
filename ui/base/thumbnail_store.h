// Small files that can be made again at any time: the cache of thumbnails on the disk.
//
// [Note: the thumbnail cache]
// $XDG_CACHE_HOME/atelier/thumbnails holds a reduced copy of each large image and of the first frame of each video that a grid has shown,
// so that the next window shows them at once. The name of a copy is a hash of what it was made of: the file's path, size, time of
// change and inode, and the size of the copy, so that a file that was replaced has another copy. Several windows may use the folder:
// a copy appears whole by a rename, and who misses a file makes it again. A copy begins with its checksum, over its name too. One that
// does not match is ignored and replaced; where the folder cannot be written, nothing is kept. Nobody but thumbnails are removed: those
// used the longest ago, when all are larger than the limit.
#pragma once
#include <QByteArray>

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

namespace ui {

/// Any thread may call these functions, and several at once. None throws.
class ThumbnailStore {
public:
    static constexpr qint64 kBytes = 256LL << 20;    ///< of all thumbnails
    static constexpr qint64 kMostEach = 1LL << 20;

    /// @param folder is created when the first thumbnail is kept; the folder above it must exist.
    /// @param bytes limit of all thumbnails together
    explicit ThumbnailStore(std::filesystem::path folder, qint64 bytes = kBytes);

    /// What was kept under @p key, which is made of 32 hexadecimal digits; nullopt: nothing, or something damaged.
    std::optional<QByteArray> find(const std::string& key) const;
    /// Replaces what was kept under @p key. Nothing that is larger than kMostEach is kept.
    void keep(const std::string& key, const QByteArray& content);

private:
    std::filesystem::path fileOf(const std::string& key) const;
    void removeOldest() const;

    std::filesystem::path m_folder;
    qint64 m_bytes;
    std::mutex m_mutex;
    qint64 m_sinceRemoval;  ///< bytes that were kept since removeOldest()
};

}  // namespace ui
