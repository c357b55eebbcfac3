// Signals to this process as values, for programs with an event loop and for those without.
#pragma once
#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

namespace launcher {

/// While one exists, the signals are collected instead of ending the process; those that were ignored before
/// stay so: nohup and shells without job control switch some off on purpose. One at a time. Children that are
/// started meanwhile have the default handling again after exec. A program that sets its own handler
/// afterwards takes that signal over.
class SignalPipe {
public:
    /// @throws std::system_error when no pipe can be had.
    explicit SignalPipe(std::initializer_list<int> numbers);
    ~SignalPipe();
    SignalPipe(const SignalPipe&) = delete;
    SignalPipe& operator=(const SignalPipe&) = delete;

    /// Readable while a signal waits; for a notifier.
    int descriptor() const;

    /// The next signal's number, or nothing after @p timeout.
    std::optional<int> wait(std::chrono::milliseconds timeout = {});

private:
    std::vector<int> m_taken;
};

}  // namespace launcher
