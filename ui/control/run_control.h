// Starts, resumes and commands runs without waiting on the GUI thread.
#pragma once
#include "engine/contract/experiment.h"
#include "launcher/control_client.h"
#include "launcher/data_home.h"

#include <QObject>
#include <QString>

#include <optional>

namespace ui {

class RunControl : public QObject {
    Q_OBJECT
public:
    explicit RunControl(const launcher::DataHome& home, QObject* parent = nullptr);

    /// Creates the run and its supervisor: started() or startFailed().
    void start(const contract::Experiment& experiment);
    /// From the latest checkpoint, or from that of @p step, with @p moreSteps in all: resumed() or refused().
    void resume(const QString& folder, std::optional<std::int64_t> step = {}, std::int64_t moreSteps = 0);
    /// acknowledged() or refused().
    void send(const QString& folder, launcher::ControlCommand command);
    /// Moves the runs' folders to the trash: trashed() for each, or refused().
    void trash(const QStringList& folders);
    /// Undoes the last trash(): restored() for each.
    void restore(const QStringList& runIds);

    /// What the user did, for messages: "Stop".
    static QString commandWord(launcher::ControlCommand command);

Q_SIGNALS:
    void started(const QString& runId, const QString& folder);
    void startFailed(const QString& message);
    void resumed(const QString& runId);
    void acknowledged(const QString& runId, launcher::ControlCommand command);
    void refused(const QString& runId, const QString& message);
    void trashed(const QString& runId);
    void restored(const QString& runId, const QString& folder);

private:
    launcher::DataHome m_home;
};

}  // namespace ui
