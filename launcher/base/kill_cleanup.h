// Deletes a folder after this process has been killed.
#pragma once
#include <filesystem>

#include <sys/types.h>

namespace launcher {

/// A small process waits until this object, or its process, is gone, and then deletes the folder if it is still there. Best effort:
/// without another process nothing is deleted.
class KillCleanup {
public:
    explicit KillCleanup(const std::filesystem::path& folder);
    ~KillCleanup();  ///< waits until the folder is deleted
    KillCleanup(const KillCleanup&) = delete;
    KillCleanup& operator=(const KillCleanup&) = delete;

private:
    int m_alive = -1;  ///< closed by the kernel when this process ends, however it ends
    pid_t m_process = -1;
};

}  // namespace launcher
