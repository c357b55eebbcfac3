// The window "Disk usage".
#pragma once
#include "launcher/home/disk_usage.h"
#include "ui/base/cancellable_work.h"
#include "ui/base/state_strip.h"
#include "ui/control/trash_watch.h"
#include "ui/runs/runs_model.h"
#include "ui/store/store_service.h"

#include <QDialog>
#include <QSet>
#include <QStringList>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

class CleanUpPanel;
class DiskModel;
class ViewFrame;

/// What occupies the disk, by run and kind of file, with what can be done about it. Deletes itself when closed.
class DiskDialog : public QDialog {
    Q_OBJECT
public:
    /// All must outlive this. @param runs has the names of the runs
    DiskDialog(StoreService& service, TrashWatch& trash, const RunsModel& runs, QWidget* parent);

    /// Sets the buttons shown while there are no runs.
    void setEmptyActions(const QList<ViewAction>& actions);
    QTableView& table() { return *m_table; }
    CleanUpPanel& cleanUp() { return *m_cleanUp; }
    QString summary() const;

Q_SIGNALS:
    /// The user wants to look at a run's checkpoints.
    void runChosen(const QString& runId);
    /// The user wants to move runs to the trash; the receiver does it.
    void trashRequested(const QStringList& runIds);
    void trashOpened();

private:
    void setupTable();
    QWidget* makeRunsPart();
    void load();
    void showUsage(const launcher::DiskUsage& usage);
    void showSelected();
    QSet<QString> selectedRuns() const;  ///< ids
    void updateState();

    StoreService& m_service;
    DiskModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    ViewFrame* m_frame;
    CleanUpPanel* m_cleanUp;
    QLabel* m_summary;
    QList<ViewAction> m_emptyActions;
    QPushButton* m_show = nullptr;
    QPushButton* m_trash = nullptr;
    CancellableWork m_scan;
    bool m_isCancelled = false;
    bool m_isOutdated = false;  ///< something was moved while the sizes were being added up
};

}  // namespace ui
