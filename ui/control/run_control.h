// Starts and resumes runs and sends them commands, on other threads so that the GUI thread never waits.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"
#include "launcher/home/trash.h"
#include "launcher/remote/mirror.h"
#include "launcher/supervisor/control_client.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ui {

/// Every operation returns at once and ends with one of the signals named at it, emitted on the GUI thread.
class RunControl : public QObject {
    Q_OBJECT
public:
    /// @param mirror what @p home is a mirror of, whose machine then gets the commands; null: this machine's own data home
    explicit RunControl(const launcher::DataHome& home, launcher::Mirror* mirror = nullptr, QObject* parent = nullptr);

    /// Creates a run and starts its supervisor. Ends with started() or startFailed().
    void start(const contract::Experiment& experiment);
    /// Creates a run and adds it to the queue. Ends with queued() or startFailed().
    void queue(const contract::Experiment& experiment);
    /// Creates runs and adds them to the queue, in this order. Ends with queued() for each, or startFailed() at the first that cannot be.
    void queueAll(const std::vector<contract::Experiment>& experiments);
    /// Adds a prepared run to the queue, or one that has ended, to be resumed. Ends with queued() or refused().
    void queueRun(const QString& folder);
    /// Gives a run that waits in the queue the experiment @p after in place of @p before, as launcher::editQueued() does. Ends with edited() or
    /// editRefused().
    void editQueued(const QString& runId, const contract::Experiment& before, const contract::Experiment& after);
    /// Resumes from the checkpoint at @p step, or from the latest. @p moreSteps is added to run.total_steps.
    /// Ends with resumed() or refused().
    void resume(const QString& folder, std::optional<std::int64_t> step = {}, std::int64_t moreSteps = 0);
    /// Sends a command to the run's supervisor. Ends with acknowledged() or refused().
    void send(const QString& folder, launcher::ControlCommand command);
    /// Moves the runs' folders to the trash. Ends with trashed() or refused() for each.
    void trash(const QStringList& folders);
    /// Moves items back from the trash. Ends with restored() or refused() for each; its folder is one of the mirror, where there is one.
    void restore(const std::vector<launcher::TrashItem>& items);
    /// Deletes items in the trash for good. Ends with erased(), after refused() for each that could not be deleted.
    void erase(const std::vector<launcher::TrashItem>& items);

    /// What the data home is a mirror of; null: it is this machine's own.
    launcher::Mirror* mirror() const { return m_mirror; }

    /// The command's translated name for messages, e.g. "Stop".
    static QString commandWord(launcher::ControlCommand command);

Q_SIGNALS:
    void started(const QString& runId, const QString& folder);
    void startFailed(const QString& message);
    void queued(const QString& runId, const QString& folder);
    void edited(const QString& runId, const QString& folder);
    void editRefused(const QString& runId, const QString& message);
    /// @param notice damaged checkpoints that were passed over, in one sentence; empty when there are none
    void resumed(const QString& runId, const QString& notice);
    void acknowledged(const QString& runId, launcher::ControlCommand command);
    void refused(const QString& runId, const QString& message);
    void trashed(const QString& runId);
    /// restore() begins.
    void restoring();
    /// @param folder the run's, also of a checkpoint that was restored
    void restored(const QString& runId, const QString& folder);
    void erased(int items, qint64 bytes);
    /// Something was moved to the trash of the mirrored machine, or out of it.
    void trashChangedThere();

private:
    /// @param begin the first that has not been queued yet
    void queueAllThere(const std::vector<contract::Experiment>& experiments, std::size_t begin);
    void restoreThere(const launcher::TrashItem& item);
    void eraseThere(const std::vector<launcher::TrashItem>& items, std::size_t begin, qint64 erasedBytes);
    /// Executes a command on the mirrored machine; calls @p done with its error, which is empty when it succeeded.
    void executeThere(const std::vector<std::string>& arguments, std::function<void(const QString& error)> done);
    void startThere(const contract::Experiment& experiment);
    QString begunBy(const launcher::CommandReply& reply);
    QString folderThere(const QString& run) const;

    launcher::DataHome m_home;
    launcher::Mirror* m_mirror;
};

}  // namespace ui
