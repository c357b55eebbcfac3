// SIGKILL at random moments to a rank, the supervisor or the window, and what must hold after each, for tests.
#pragma once
#include "tests/ui/window/open_window.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace ui_test {

/// Of each experiment whose runs are killed.
inline constexpr int kSteps = 800;
inline constexpr int kCheckpointEvery = 40;

/// The losses that all attempts of a run have journalled, by step; a step that was taken again is there again.
std::multimap<std::int64_t, double> lossesOf(const contract::RunFolder& run);
std::int64_t newestCheckpoint(const contract::RunFolder& run);

/// What an unbroken run does.
struct UnbrokenRun {
    std::map<std::int64_t, double> losses;
    std::map<std::int64_t, std::map<std::string, std::string>> checksums;  ///< of the files of each checkpoint
};

/// What a test that kills has: a home and a window in it, which killWindow() and startInKilledWindow() replace.
class WindowKills {
protected:
    enum class Victim { Rank, Supervisor, Window };

    contract::RunFolder folderOf(const QString& id) const
    {
        return contract::RunFolder(m_home->home().runs() / id.toStdString());
    }
    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }
    int random(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }

    /// Starts a run in the open window. @return its id, once the window has determined its state.
    QString startRun();
    /// Resumes a run that was killed, in the open window.
    void resume(const QString& id);
    /// One more kill. @return the run that was hit; @p id unless that had finished
    QString killOnce(QString id, Victim victim);

    /// Opens a window after one was killed: what was started goes on, and its values are there.
    void checkNextWindow(const QString& id);
    /// Checks a run whose folder has no attempt: nothing runs, and nothing is shown as running.
    void checkThatNothingWasStarted(const QString& id);
    /// Waits for the end of a run that trains, and holds all of it against the unbroken one.
    void checkTheEnd(const QString& id);
    /// A rank may also die between its last checkpoint and its end.
    bool hasNothingLeft(const QString& id);

    std::mt19937 m_random;
    UnbrokenRun m_unbroken;
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

private:
    QStringList runIds() const;
    /// Waits for a random step of the present attempt and a random fraction of a step more. In one of five calls the run is
    /// still starting.
    void reachRandomMoment(const contract::RunFolder& run);
    void killRank(const QString& id);
    void killSupervisor(const QString& id);
    /// Kills a window, the real program, while the run trains. What it shows is seen in the next one.
    void killWindow(const QString& id);
    /// Starts the digits demo (made small) in the real program, which is killed while the run starts or trains.
    /// @return the run's id; empty when it was killed before there was a run, or on failure.
    QString startInKilledWindow();
    /// Checks what must hold right after a kill, while no process of the run writes.
    void checkThatNothingIsLost(const QString& id);
};

}  // namespace ui_test
