// The server's side of watching runs from another machine: `atelier serve`. See [Note: the remote protocol] in protocol.h.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/remote/followed_run.h"
#include "launcher/remote/protocol.h"
#include "launcher/remote/served_commands.h"
#include "launcher/remote/transfers.h"
#include "launcher/state/run_state.h"

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace launcher {

/// Serves the runs of a data home on two file descriptors. Reads them only; what changes a run is done by its supervisor, or by
/// `atelier` commands that it starts.
class Server : public QObject {
    Q_OBJECT
public:
    /// @param input, output are not closed; both are made non-blocking
    Server(const DataHome& home, std::string version, int input, int output, QObject* parent = nullptr);
    ~Server() override;

Q_SIGNALS:
    /// The other side has gone.
    void ended();

private:
    using Json = nlohmann::json;
    using Clock = std::chrono::steady_clock;

    /// What has been said of a run.
    struct Said {
        std::string evidence;  ///< of what the state and the facts are read from; see evidenceOf()
        std::string stamp;
        Json status;
        bool isInSlurm = false;
        bool isChanging = false;  ///< active or waiting: its state may change while the evidence does not
        Clock::time_point at;
    };
    void read();
    void take(std::string_view line);
    void answer(const Json& id, const std::string& error, bool isCancelled = false);
    void look(const std::string& run, FileDepth depth);
    void leave(const std::string& run);
    FollowedRun& followed(const std::string& run);
    void annotate(const Json& id, const std::string& run, const Json& request);
    void execute(const Json& id, const Json& request);
    void answerCommand(const Json& id, const CommandEnd& end);
    void tick();
    void askSlurm();
    void listRuns();
    void sayRun(const std::string& run);
    void sayNextRuns();
    void send(const std::string& bytes);
    void write();
    void end();
    std::filesystem::path rootOf(const std::string& run) const { return m_home.runs() / run; }

    DataHome m_home;
    int m_input, m_output;
    QSocketNotifier m_readable, m_writable;
    QTimer m_timer;
    std::string m_line;       ///< what has been read of the next request
    bool m_isTooLong = false;
    std::string m_out;
    std::size_t m_written = 0;  ///< of m_out
    Transfers m_transfers;
    std::map<std::string, Said> m_runs;
    std::deque<std::string> m_next;  ///< runs to be looked at in this round
    std::map<std::string, FollowedRun> m_followed;
    bool m_isListed = false;
    bool m_isEnded = false;
    ServedCommands m_commands;
    Clock::time_point m_saidAt = Clock::now();
    Clock::time_point m_listedAt = {}, m_slurmAskedAt = {};
    std::shared_ptr<std::atomic_bool> m_isAskingSlurm = std::make_shared<std::atomic_bool>(false);  ///< shared with the thread that asks
};

}  // namespace launcher
