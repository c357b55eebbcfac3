// The tab Checkpoints: those of the inspected run, and what to do with them.
#pragma once
#include "ui/base/paced_query.h"
#include "ui/base/selection.h"

#include <QWidget>

#include <filesystem>
#include <vector>

class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace ui {

class CheckpointJobs;
class CheckpointModel;
class TensorsPanel;
class ViewFrame;

class CheckpointsView : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this.
    CheckpointsView(StoreService& service, Selection& selection, QWidget* parent = nullptr);
    ~CheckpointsView() override;

    CheckpointModel& model() { return *m_model; }
    QTableView& table() { return *m_table; }
    /// What the last action said: "step-400 is whole."
    QString message() const;

    void verifySelected();
    void togglePinned();
    void openFolder();
    void requestResume();
    /// Asks first, naming them and the bytes.
    void deleteSelected();
    /// Without asking.
    void trash(const std::vector<std::filesystem::path>& checkpoints);
    void undoDelete();

Q_SIGNALS:
    /// The user wants to go on from there. The window knows how.
    void resumeRequested(const QString& runId, qint64 step);

private:
    QWidget* makeToolbar();
    QToolButton* addButton(QWidget* bar, const QString& text, const QString& help, void (CheckpointsView::*slot)());
    void setupTable();
    QString shownRun() const;
    std::vector<int> selectedRows() const;  ///< of the model, by step
    std::filesystem::path folderOf(int row) const;
    std::vector<std::filesystem::path> selectedFolders() const;
    void showCheckpoints(
        const QString& run, const QString& folder, const std::vector<storage::CheckpointRow>& checkpoints);
    void showSelected();
    void showState();
    void say(const QString& message);

    Selection& m_selection;
    PacedQuery* m_query;
    CheckpointJobs* m_jobs;
    CheckpointModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    TensorsPanel* m_tensors;
    QLabel* m_message = nullptr;
    QToolButton* m_verify = nullptr;
    QToolButton* m_resume = nullptr;
    QToolButton* m_pin = nullptr;
    QToolButton* m_open = nullptr;
    QToolButton* m_delete = nullptr;
    QToolButton* m_undo = nullptr;
    ViewFrame* m_frame;
    QString m_folder;  ///< of the run that the table shows
};

}  // namespace ui
