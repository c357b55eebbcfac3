// Runs a program and takes what it writes to standard output.
#pragma once
#include <QByteArray>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace launcher {

struct ProgramOutput {
    enum class End {
        Exited,
        Killed,      ///< by a signal, or by us because it was too slow or wrote too much
        NotStarted,
    };
    End end = End::NotStarted;
    int exitCode = 0;    ///< of Exited
    QByteArray output;
};

/// Blocks until the program has ended; any thread but the GUI's may call it. The program has no input, and its errors are dropped.
/// @param limit after which it is killed @param mostBytes of output, after which it is killed @param stop kills it within 100 ms
ProgramOutput outputOf(const std::string& program, const std::vector<std::string>& arguments, std::chrono::milliseconds limit, qint64 mostBytes,
    const std::stop_token& stop = {});

}  // namespace launcher
