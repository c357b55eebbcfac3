// The logs dock: which rank, which level, what to search, follow, copy, open.
#pragma once
#include "ui/base/selection.h"
#include "ui/logs/log_model.h"
#include "ui/runs/runs_model.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace ui {

class LogView;
class ViewFrame;

class LogsDock : public QWidget {
    Q_OBJECT
public:
    LogsDock(RunsModel& runs, Selection& selection, QWidget* parent = nullptr);

    LogModel& model() const { return *m_model; }
    LogView& view() const { return *m_view; }
    void focusSearch();

private:
    void setupControls();
    void listFiles();
    void offerFiles(const std::vector<std::string>& files);
    void chooseFiles();
    void applyFilter();
    void updateState();
    void openFile();

    RunsModel& m_runs;
    Selection& m_selection;
    LogModel* m_model;
    LogView* m_view;
    ViewFrame* m_frame;
    QComboBox* m_which;   ///< data: path; empty: all
    QComboBox* m_level;
    QLineEdit* m_search;
    QCheckBox* m_regex;
    QToolButton* m_follow;
    QLabel* m_count;
    QString m_folder;                 ///< of the inspected run
    std::vector<std::string> m_files; ///< the supervisor's first, then by rank
    QTimer m_listTimer;               ///< new ranks may open logs while a run starts
    QTimer m_filterTimer;             ///< waits until typing pauses
    QString m_problem;
};

}  // namespace ui
