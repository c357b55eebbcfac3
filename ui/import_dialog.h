// Brings runs into the window that other programs have recorded.
#pragma once
#include "storage/imports/import.h"
#include "ui/workbench.h"

#include <QDialog>

#include <atomic>
#include <memory>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace ui {

class ViewFrame;

/// Asks for a file or folder, lists the runs there and imports those that are ticked, one after another on a background thread. Deletes itself
/// when closed, which cancels what is left.
class ImportDialog : public QDialog {
    Q_OBJECT
public:
    explicit ImportDialog(Workbench& workbench, QWidget* parent = nullptr);
    ~ImportDialog() override;

    /// Lists the runs at @p path, as when it is typed or chosen.
    void look(const QString& path);
    QString note() const;  ///< the sentence below the list

Q_SIGNALS:
    /// All ticked runs were imported, or could not be. @p runIds those that are new or have grown
    void imported(const QStringList& runIds);

private:
    enum Column { Name, Program, Result, ColumnCount };
    struct Found;
    QWidget* makePathRow();
    void choose(bool isFolder);
    void showFound(const Found& found);
    void tickAll(bool isTicked);
    void start();
    void importNext();
    void showResult(int row, const storage::ImportResult& result);
    void finish();
    void updateState();

    Workbench& m_workbench;
    QLineEdit* m_path;
    QCheckBox* m_all;
    QTreeWidget* m_list;
    ViewFrame* m_frame;
    QLabel* m_note;
    QPushButton* m_import = nullptr;
    std::vector<storage::ForeignRun> m_runs;  ///< in the order of the rows
    std::vector<int> m_left;                  ///< rows to be imported, the next one last
    QStringList m_done;                       ///< ids of the runs that are new or have grown
    int m_failures = 0;
    int m_known = 0;
    int m_total = 0;
    int m_search = 0;  ///< counts the searches, so that an outdated one is dropped
    bool m_isSearching = false;
    bool m_isImporting = false;
    std::shared_ptr<std::atomic<bool>> m_isCancelled;
};

}  // namespace ui
