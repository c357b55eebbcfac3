// Shows problems with the index of runs, and with the connection to the machine that they are on: in the strip above the runs table, and as status messages.
#pragma once
#include "ui/workbench.h"

#include <QObject>
#include <QString>

#include <optional>

namespace ui {

class RemoteWatch;
class RunsView;
struct ViewError;

class StoreMessages : public QObject {
    Q_OBJECT
public:
    /// @p workbench and @p view must outlive this. @param remote null in a window on this machine's own runs
    StoreMessages(Workbench& workbench, RunsView& view, RemoteWatch* remote, QObject* parent = nullptr);

Q_SIGNALS:
    /// A temporary message for the status bar, e.g. the progress of rebuilding the index.
    void statusMessage(const QString& sentence);
    /// @param areKnown false while the runs cannot be read from the index
    void runsKnown(bool areKnown);

private:
    void showFailure(storage::StoreError::Kind kind, const QString& message);
    void updateStrip();
    ViewError error(const QString& message) const;

    Workbench& m_workbench;
    RunsView& m_view;
    RemoteWatch* m_remote;
    std::optional<storage::StoreError::Kind> m_failureKind;  ///< set while the index cannot be used
    QString m_failure;                                       ///< the message for m_failureKind
    QString m_outdatedReason;  ///< why the index is readable but not up to date; empty if it is
    bool m_isReadOnly = false;
    bool m_isRunsFolderMissing = false;
    bool m_isPlaceSaid = false;  ///< where the index is kept
};

}  // namespace ui
