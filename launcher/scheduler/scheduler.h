// The process that starts the runs in the queue; it outlives the window and a login, as supervisors do.
#pragma once
#include "launcher/base/data_home.h"

#include <QObject>

#include <memory>
#include <string>

namespace launcher {

/// Runs in `atelier schedule`. Starts the first entry of the queue that is not held when the GPUs or the place it waits for are free;
/// entries never overtake each other, but those that the user wants at once start in any case. An entry that cannot be started is
/// held with the reason, and the next one's turn comes; that, and a queue that is held because a run has failed, is kept in Queue::alerts and told
/// to the user's web address. Looks twice a second.
class Scheduler : public QObject {
    Q_OBJECT
public:
    explicit Scheduler(const DataHome& home, QObject* parent = nullptr);
    ~Scheduler() override;

    /// Takes the scheduler's lock and reports the result to the program that waits for it (ready_pipe.h).
    /// @return empty, or why not, in one sentence.
    std::string start();

Q_SIGNALS:
    /// There is nothing to start or to watch, and the lock is released: whoever adds to it starts another scheduler.
    void idle();

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

}  // namespace launcher
