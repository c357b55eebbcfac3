// Joins a mirror with the window on it: what the user looks at is copied, and what has been copied is shown.
#pragma once
#include "launcher/remote/mirror.h"
#include "ui/base/selection.h"
#include "ui/runs/run_watch.h"
#include "ui/store/store_service.h"

#include <QObject>

namespace ui {

class RemoteWatch : public QObject {
    Q_OBJECT
public:
    /// All must outlive this.
    RemoteWatch(launcher::Mirror& mirror, StoreService& store, RunsModel& runs, RunWatch& watch, const Selection& selection,
        QObject* parent = nullptr);

    /// Images are copied only while the user looks at them.
    void setSamplesShown(bool areShown);

    /// What the window says while there is no connection, in one sentence; empty while there is one, and before the first attempt is over.
    QString problem() const;
    /// Why there may be something of these runs, or of the list of runs, that has not been copied down to @p depth; empty: there is nothing.
    QString missing(const QStringList& runIds, launcher::FileDepth depth) const;

Q_SIGNALS:
    /// problem() and missing() may have changed.
    void linkChanged();
    /// missing() may have changed.
    void copiedChanged();
    /// Files of the run that is inspected have been copied, perhaps samples that the database named before.
    void inspectedCopied();

private:
    void lookAtSelection();
    void showFiles(const QStringList& runIds);
    void showLink(const launcher::RemoteLink& link);

    launcher::Mirror& m_mirror;
    StoreService& m_store;
    RunsModel& m_runs;
    RunWatch& m_watch;
    const Selection& m_selection;
    bool m_areSamplesShown = false;
    launcher::RemoteLink::Phase m_phase = launcher::RemoteLink::Phase::Connecting;
    QString m_reason;  ///< the link's problem
};

}  // namespace ui
