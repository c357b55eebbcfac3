// Delivers signals to this process through a pipe, for programs with and without an event loop.
#pragma once
#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

namespace launcher {

/// While an object exists, the given signals are queued in a pipe instead of ending the process. At most one object may
/// exist at a time.
/// Signals that were ignored before stay ignored: nohup and shells without job control ignore some on purpose. Children
/// that are started meanwhile get the default handling back at exec. If the program installs its own handler for a signal
/// later, that handler stays in place when this object is destroyed.
class SignalPipe {
public:
    /// @param numbers the signals to queue. @throws std::system_error when no pipe can be created.
    explicit SignalPipe(std::initializer_list<int> numbers);
    ~SignalPipe();
    SignalPipe(const SignalPipe&) = delete;
    SignalPipe& operator=(const SignalPipe&) = delete;

    /// Readable while a signal is queued; for a QSocketNotifier.
    int descriptor() const;

    /// Returns the number of the next queued signal, or nullopt when none arrives within @p timeout.
    std::optional<int> wait(std::chrono::milliseconds timeout = {});

private:
    std::vector<int> m_taken;
};

}  // namespace launcher
