// A folder for a run that is being brought into the data home, which is moved from there when it is complete.
#pragma once
#include "launcher/data_home.h"

#include <filesystem>

namespace launcher {

/// data/incoming/XXXXXX, locked (flock) as long as its process lives, and deleted with this object.
class IncomingFolder {
public:
    /// Also deletes the folders of processes that were killed. @throws std::runtime_error naming the folder and the reason.
    explicit IncomingFolder(const DataHome& home);
    ~IncomingFolder();
    IncomingFolder(const IncomingFolder&) = delete;
    IncomingFolder& operator=(const IncomingFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    void sync() const;  ///< blocks until what was written is on the disk

private:
    std::filesystem::path m_path;
    int m_lock = -1;
};

}  // namespace launcher
