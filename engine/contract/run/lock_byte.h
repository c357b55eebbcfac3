// Locks on single bytes of a file. The kernel releases them when the process that holds them ends.
#pragma once
#include <filesystem>

namespace contract {

/// Which byte of a run's lock file (see [Note: the supervisor's lock]), or of the queue's.
enum class LockByte { Supervisor = 0, Starter = 1, Scheduler = 0, Editor = 1 };

/// Tries to lock @p byte exclusively; creates the file when it is missing. Does not wait for another holder, except for
/// the moment in which a finished waitForByte() still holds its shared lock.
/// @param descriptor set to the descriptor that holds the lock until it is closed; unchanged on failure.
/// @return 0 on success, EAGAIN when another process holds the lock, else the errno of the failed call.
int takeByte(const std::filesystem::path& file, LockByte byte, int& descriptor);

/// The same, but waits until no other process holds the lock.
int awaitByte(const std::filesystem::path& file, LockByte byte, int& descriptor);

/// Whether a process holds the lock. Only queries it, so a concurrent takeByte() cannot fail because of this call.
bool isByteTaken(const std::filesystem::path& file, LockByte byte);

/// Blocks until no process holds the lock; returns at once when there is no such file.
void waitForByte(const std::filesystem::path& file, LockByte byte);

}  // namespace contract
