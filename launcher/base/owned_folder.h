// A folder that exists as long as its process needs it.
#pragma once
#include <filesystem>

namespace launcher {

/// PARENT/XXXXXX, locked (flock) as long as its process lives, and deleted with this object.
class OwnedFolder {
public:
    /// Creates @p parent if need be, and deletes in it the folders of processes that were killed.
    /// @throws std::runtime_error naming the folder and the reason.
    explicit OwnedFolder(const std::filesystem::path& parent);
    ~OwnedFolder();
    OwnedFolder(const OwnedFolder&) = delete;
    OwnedFolder& operator=(const OwnedFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    void sync() const;  ///< blocks until what was written is on the disk

private:
    std::filesystem::path m_path;
    int m_lock = -1;
};

}  // namespace launcher
