// Prevents a checkpoint from being removed while it is read.
//
// [Note: checkpoint locks]
// Code that reads a checkpoint's files holds a shared flock() on its folder. Code that removes a checkpoint (rotation on
// rank 0, a command of the user) or moves it to the trash holds an exclusive one. Neither waits for the other. The kernel
// releases the lock when the process ends. A checkpoint that is being written needs no lock: it has no final name yet.
#pragma once
#include <filesystem>

namespace contract {

/// Tries to take the lock on construction and releases it on destruction. Never blocks and never throws.
class CheckpointLock {
public:
    enum class Use { Read, Remove };

    CheckpointLock(const std::filesystem::path& checkpoint, Use use);
    ~CheckpointLock();
    CheckpointLock(const CheckpointLock&) = delete;
    CheckpointLock& operator=(const CheckpointLock&) = delete;

    /// False when the folder does not exist, when it is to be read but is being removed, or when it is to be removed but
    /// another process reads or removes it.
    bool isHeld() const { return m_isHeld; }

private:
    int m_descriptor;
    bool m_isHeld;
};

}  // namespace contract
