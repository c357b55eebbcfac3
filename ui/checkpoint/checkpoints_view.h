// The tab Checkpoints: the inspected run's checkpoints, and the operations on them.
#pragma once
#include "launcher/home/trash.h"
#include "launcher/remote/mirror.h"
#include "ui/base/selection.h"
#include "ui/checkpoint/listed_checkpoints.h"
#include "ui/store/paced_query.h"

#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

class ActionRegistry;
class CheckpointJobs;
class CheckpointModel;
class CheckpointsBar;
class TensorsPanel;
class ViewFrame;

class CheckpointsView : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "checkpoints.verify" …, in @p actions. All must outlive this.
    CheckpointsView(StoreService& service, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);
    ~CheckpointsView() override;

    CheckpointModel& model() { return *m_model; }
    QTableView& table() { return *m_table; }
    /// The result of the last operation: "step-400 is intact."
    QString message() const;

    /// Selects the checkpoint that is the nearest to @p step.
    void showStep(std::int64_t step);
    void verifySelected();
    void cancelVerifying();
    void togglePinned();
    void openFolder();
    /// Opens the window that compares the weights of the two selected checkpoints.
    void compareSelected();
    /// Opens the dialog that exports the selected checkpoint.
    void exportSelected();
    void requestResume();
    /// Moves the selected checkpoints to the trash, from which undoDelete() restores them.
    void deleteSelected();
    void undoDelete();
    bool canUndoDelete() const;
    /// Sets what is in the trash by now: the Undo button restores checkpoints from it.
    void setTrash(const std::vector<launcher::TrashItem>& items);
    /// The checkpoints' files are on the machine of @p mirror, which must outlive this: operations are executed there, and those that
    /// need the files here are disabled.
    void setFilesElsewhere(launcher::Mirror& mirror);
    /// Sets why the inspected run cannot be resumed, in one sentence; empty: it can.
    void setResumeRefusal(const QString& sentence);

Q_SIGNALS:
    /// The user wants to resume the run from its checkpoint at @p step; the receiver does it.
    void resumeRequested(const QString& runId, qint64 step);
    /// Something was moved to the other machine's trash, or out of it.
    void trashChangedThere();
    void canUndoDeleteChanged();

private:
    QWidget* makeTop();
    void setupTable();
    QString shownRun() const;
    std::vector<int> selectedRows() const;  ///< rows of the model, ascending
    std::filesystem::path folderOf(int row) const;
    std::vector<std::filesystem::path> selectedFolders() const;
    void showCheckpoints(
        const QString& run, const QString& folder, const std::vector<ListedCheckpoint>& checkpoints);
    void selectStep(std::int64_t step);
    void showSelected();
    void showPossible();
    void showState();
    void showStatus(const QString& message);

    Selection& m_selection;
    PacedQuery* m_query;
    CheckpointJobs* m_jobs;
    CheckpointModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    CheckpointsBar* m_bar;
    QLabel* m_message;
    TensorsPanel* m_tensors;
    ViewFrame* m_frame;
    launcher::Mirror* m_mirror = nullptr;  ///< of the machine that has the checkpoints' files; null: they are here
    QString m_noResume;  ///< why the run cannot be resumed; empty: it can
    QString m_folder;  ///< run folder of the shown checkpoints
    std::optional<std::int64_t> m_step;  ///< of showStep(), until the checkpoints of the run have been read
    QTimer m_ageTimer;  ///< repaints the ages
};

}  // namespace ui
