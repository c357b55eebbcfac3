// Follows a run in a terminal: shows progress and warnings, handles Ctrl+C, and collects the result.
#pragma once
#include "app/cli/failure.h"
#include "app/cli/journal_tail.h"
#include "app/cli/live_line.h"
#include "app/cli/progress.h"
#include "app/cli/run_result.h"
#include "launcher/base/data_home.h"
#include "launcher/base/signal_pipe.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/control_client.h"

#include <csignal>
#include <cstdio>
#include <optional>
#include <vector>

namespace app {

/// The supervisor is another process: training continues when this process ends, unless a stop was requested.
class Follower {
public:
    /// Create it before the supervisor is started: it follows only what is journalled from now on.
    /// @param stream receives progress and messages
    Follower(const launcher::DataHome& home, const contract::RunFolder& folder,
        const contract::Experiment& experiment, std::FILE* stream);

    enum class End {
        Ended,     ///< the run has ended; see result()
        Detached,  ///< the terminal was closed; the run continues
        Killed,    ///< the run was killed by a second Ctrl+C
    };
    End follow();  ///< blocks until the run ends or the terminal is closed

    const RunResult& result() const { return m_result; }

private:
    void onSignal(int number);
    void sendPendingCommand();
    void readJournals();
    void onRecord(int rank, const contract::JournalLine& line);
    void onPhase(int rank, const contract::JournalLine& line);
    void onEvent(int rank, const contract::JournalLine& line);
    void checkState();
    void printOtherFailures();
    void waitForSupervisor();
    std::string statusText() const;

    struct Tail {
        int rank;
        JournalTail tail;
    };

    launcher::DataHome m_home;
    contract::RunFolder m_folder;
    launcher::SignalPipe m_signals {SIGINT, SIGTERM, SIGHUP};
    LiveLine m_line;
    Progress m_progress;
    RunResult m_result;
    std::vector<Tail> m_tails;
    std::optional<launcher::ControlCommand> m_pendingCommand;  ///< not accepted by the supervisor yet
    std::vector<std::string> m_failures;  ///< messages of ranks that failed, which the run's cause may repeat
    std::string m_phase = "starting";
    launcher::RunState m_state = launcher::RunState::Starting;
    std::string m_waitsFor;
    int m_interrupts = 0;       ///< number of SIGINT and SIGTERM received
    bool m_isDetached = false;  ///< follow() returns without waiting for the run's end
};

}  // namespace app
