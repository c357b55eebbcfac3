// Signals to this process as events of its loop.
#pragma once
#include <QSocketNotifier>

#include <functional>
#include <memory>

namespace launcher {

/// While one exists, SIGTERM, SIGINT and SIGUSR1 call the handler from the event loop; before, they would
/// end the process. One at a time. A program that sets its own handler afterwards takes that signal over.
class SignalPipe {
public:
    explicit SignalPipe(std::function<void(int)> onSignal);
    ~SignalPipe();
    SignalPipe(const SignalPipe&) = delete;
    SignalPipe& operator=(const SignalPipe&) = delete;

private:
    std::function<void(int)> m_onSignal;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

}  // namespace launcher
