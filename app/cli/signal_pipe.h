// Ctrl+C, termination and a closed terminal as values instead of interruptions, without an event loop.
#pragma once
#include <chrono>
#include <optional>

namespace app {

/// While one exists, SIGINT, SIGTERM and SIGHUP are collected instead of ending the process. One at a time.
/// Children that are started meanwhile have the default handling again after exec.
class SignalPipe {
public:
    SignalPipe();
    ~SignalPipe();
    SignalPipe(const SignalPipe&) = delete;
    SignalPipe& operator=(const SignalPipe&) = delete;

    /// The next signal's number, or nothing after @p timeout.
    std::optional<int> wait(std::chrono::milliseconds timeout);
};

}  // namespace app
