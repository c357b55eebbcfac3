// Runs commands of `atelier` as processes of their own and collects what they print.
#pragma once
#include <QObject>
#include <QProcess>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace app {

struct ToolOutcome {
    bool isError = false;  ///< an exit code other than 0 alone is none: it may be the answer, as when a search finds nothing
    std::string output;    ///< standard output; of an error one sentence
    std::string warnings;  ///< what else was said, a line each; often empty
};

/// Used on one thread, which has an event loop.
class ToolRunner {
public:
    using OnEnd = std::function<void(const ToolOutcome&)>;

    ~ToolRunner();  ///< ends the commands that still run, without calling anybody

    /// Starts a command, or as soon as fewer than some others run. @p onEnd is called once, from the event loop.
    /// @param key for cancel(); no command with this key may be running
    /// @param longest after which the command is ended
    void start(const std::string& key, const std::vector<std::string>& arguments, std::chrono::minutes longest, OnEnd onEnd);
    /// Ends a command, whose onEnd is then not called. No-op for an unknown key.
    void cancel(const std::string& key);

    bool isIdle() const { return m_running.empty() && m_waiting.empty(); }

private:
    struct Job {
        std::string key;
        std::vector<std::string> arguments;
        std::chrono::minutes longest {};
        OnEnd onEnd;
        QProcess process;
        QTimer limit;
        std::string output;
        std::string problem;  ///< why it was ended
    };
    void startNext();
    void collect(Job& job);
    void end(Job& job, const std::string& problem);
    void finish(const std::string& key);
    void abandon(const std::string& key);

    std::map<std::string, std::unique_ptr<Job>> m_running;
    std::deque<std::unique_ptr<Job>> m_waiting;
    QObject m_context;
};

}  // namespace app
