// Owns the ranks of one attempt: starts, watches and stops them, and records how the attempt ended.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <QObject>

#include <memory>
#include <string>

namespace launcher {

/// Runs in `atelier supervise`, or in `atelier run` in the foreground. Must be on the main thread, because the kernel kills
/// a rank when the thread that started it ends. Holds the run's lock and answers on its control socket:
/// {"v":1,"id":7,"cmd":"stop"} → {"id":7,"ok":true}; commands: stop, stop_now, kill, checkpoint, sample, ping.
class Supervisor : public QObject {
    Q_OBJECT
public:
    /// Runs the last attempt of @p folder.
    Supervisor(const DataHome& home, const contract::RunFolder& folder, QObject* parent = nullptr);
    ~Supervisor() override;

    /// Takes the lock, opens the control socket, starts the ranks and reports the result to the program that waits for it
    /// (ready_pipe.h). @return empty, or why it could not start, in one sentence.
    std::string start();

    void stop();     ///< the ranks finish the step, write a checkpoint and exit
    void stopNow();  ///< interrupts the ranks (SIGINT) and kills those that have not exited after 10 s
    void kill();     ///< SIGKILL to every rank

Q_SIGNALS:
    /// A journal, sample or checkpoint has changed on disk. Emitted at most every 100 ms.
    void recordsWritten();
    /// Every rank has exited and the end record is written, if the disk allows. For other processes the run is active until the slots have returned.
    void ending();
    /// The run has ended, and telling the user's web address, where that is due, has succeeded or failed. @p outcome: finished, stopped or failed.
    void finished(const QString& outcome, const QString& cause);

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

}  // namespace launcher
