// Keeps a checkpoint from being removed while it is read.
//
// [Note: checkpoint locks]
// Whoever reads a checkpoint's files holds a shared flock() on its folder, whoever removes one (the rotation of
// rank 0, a person) or moves it to the trash an exclusive one; neither waits for the other. The kernel releases
// it with the process. A checkpoint that is being written needs none: it has no final name yet.
#pragma once
#include <filesystem>

namespace contract {

/// Held while this lives. Never blocks and never throws.
class CheckpointLock {
public:
    enum class Use { Read, Remove };

    CheckpointLock(const std::filesystem::path& checkpoint, Use use);
    ~CheckpointLock();
    CheckpointLock(const CheckpointLock&) = delete;
    CheckpointLock& operator=(const CheckpointLock&) = delete;

    /// False when another program reads it (and we want to remove it) or removes it (and we want to read it), or
    /// when there is no such folder.
    bool isHeld() const { return m_isHeld; }

private:
    int m_descriptor;
    bool m_isHeld;
};

}  // namespace contract
