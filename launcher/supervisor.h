// Owns the ranks of one attempt: starts them, watches them, stops them, says how it ended.
#pragma once
#include "engine/contract/run_folder.h"
#include "launcher/data_home.h"

#include <QObject>

#include <memory>
#include <string>

namespace launcher {

/// Lives on the main thread (ranks die with the thread that spawned them) of `atelier supervise`, or of
/// `atelier run` in the foreground. Holds the run's lock and answers on its socket:
/// {"v":1,"id":7,"cmd":"stop"} → {"id":7,"ok":true}; commands: stop, stop_now, kill, checkpoint, sample, ping.
class Supervisor : public QObject {
    Q_OBJECT
public:
    /// @param folder the attempt to run is its last one.
    Supervisor(const DataHome& home, const contract::RunFolder& folder, QObject* parent = nullptr);
    ~Supervisor() override;

    /// Takes the lock, listens, spawns the ranks.
    /// @return empty, or why it could not start, in one sentence.
    std::string start();

    void stop();     ///< finish the step, checkpoint, leave
    void stopNow();  ///< SIGTERM semantics without waiting for a step: leave within seconds
    void kill();     ///< SIGKILL to every rank

Q_SIGNALS:
    /// Some journal, sample or checkpoint changed on disk. At most every 100 ms.
    void recordsWritten();
    /// Every rank is gone and the end record is written. outcome: finished, stopped, failed.
    void finished(const QString& outcome, const QString& cause);

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

}  // namespace launcher
