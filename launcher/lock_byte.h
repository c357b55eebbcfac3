// Locks on single bytes of a file, which the kernel releases with the process that holds them.
#pragma once
#include <filesystem>

namespace launcher {

/// Which byte of a run's lock file; see [Note: the supervisor's lock].
enum class LockByte { Supervisor = 0, Starter = 1 };

/// Makes the file when there is none. Lets those pass who only waited (see waitForByte()).
/// @param descriptor keeps the lock until it is closed; unchanged when the lock was not taken.
/// @return 0, EAGAIN when another holds it, else the errno of what failed.
int takeByte(const std::filesystem::path& file, LockByte byte, int& descriptor);

/// Whether some process has taken it, without disturbing one that is about to.
bool isByteTaken(const std::filesystem::path& file, LockByte byte);

/// Blocks until nobody has taken it; returns at once when there is no such file.
void waitForByte(const std::filesystem::path& file, LockByte byte);

}  // namespace launcher
