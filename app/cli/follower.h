// Watches a run from a terminal: progress, warnings, Ctrl+C, the end.
#pragma once
#include "app/cli/failure.h"
#include "app/cli/journal_tail.h"
#include "app/cli/live_line.h"
#include "app/cli/progress.h"
#include "app/cli/run_result.h"
#include "launcher/control_client.h"
#include "launcher/data_home.h"
#include "launcher/run_state.h"
#include "launcher/signal_pipe.h"

#include <csignal>
#include <cstdio>
#include <optional>
#include <vector>

namespace app {

/// The supervisor is another process: however this one ends, training goes on unless it was told to stop.
class Follower {
public:
    /// Make it before the supervisor starts: only what is journalled from now on counts.
    /// @param stream where progress and messages go.
    Follower(const launcher::DataHome& home, const contract::RunFolder& folder,
        const contract::Experiment& experiment, std::FILE* stream);

    enum class End {
        Ended,   ///< result() says how
        Left,    ///< the terminal was closed; the run goes on
        Killed,  ///< by a second Ctrl+C
    };
    End follow();

    const RunResult& result() const { return m_result; }

private:
    void onSignal(int number);
    void sendWanted();
    void readJournals();
    void onRecord(int rank, const contract::JournalLine& line);
    void onEvent(int rank, const contract::JournalLine& line);
    void lookAtState();
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
    std::optional<launcher::ControlCommand> m_wanted;  ///< asked for, not yet accepted
    std::string m_phase = "starting";
    launcher::RunState m_state = launcher::RunState::Starting;
    int m_interrupts = 0;
    bool m_hasLeft = false;
};

}  // namespace app
