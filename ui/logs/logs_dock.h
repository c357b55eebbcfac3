// The logs dock: the log view with controls for rank, level, search, follow, copy and open.
#pragma once
#include "ui/base/action_registry.h"
#include "ui/base/selection.h"
#include "ui/logs/log_model.h"
#include "ui/runs/runs_model.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace ui {

class LogSeek;
class LogView;
class ViewFrame;

class LogsDock : public QWidget {
    Q_OBJECT
public:
    /// Registers its actions, "logs.follow" …, in @p actions. All must outlive this.
    LogsDock(RunsModel& runs, Selection& selection, ActionRegistry& actions, QWidget* parent = nullptr);

    LogModel& model() const { return *m_model; }
    LogView& view() const { return *m_view; }
    void focusSearch();
    /// Shows all lines of the inspected run, and scrolls to the one that begins at the byte @p offset of @p file, once the logs have been read.
    void showLine(const std::string& file, std::int64_t offset);
    /// Scrolls to the last line that was written before or at @p seconds since 1970, once the run's logs have been read.
    void showTime(double seconds);

Q_SIGNALS:
    /// The user chose a line (double click, Return) that was written at @p seconds since 1970.
    void timeChosen(double seconds);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void registerActions();
    void setupControls();
    void listFiles();
    void offerFiles(const std::vector<std::string>& files);
    void chooseFiles();
    void nameFiles();
    void applyFilter();
    void updateState();
    void openFile();
    void chooseTimeOf(qsizetype row);
    void seekWanted();

    RunsModel& m_runs;
    Selection& m_selection;
    ActionRegistry& m_actions;
    LogModel* m_model;
    LogSeek* m_seek;
    LogView* m_view;
    ViewFrame* m_frame;
    QComboBox* m_fileBox;   ///< item data: the path of a log file; empty for all files
    QComboBox* m_level;
    QLineEdit* m_search;
    QCheckBox* m_regex;
    QToolButton* m_follow;
    QLabel* m_count;
    QString m_folder;                 ///< the inspected run's folder
    bool m_isListOutdated = false;    ///< the run's row or state has changed since its files were listed
    std::vector<std::string> m_files; ///< the supervisor's log first, then by rank
    QTimer m_listTimer;               ///< lists the files again, since ranks create their logs while a run starts
    QTimer m_filterTimer;             ///< delays filtering until the user stops typing
    struct WantedLine {
        std::string file;
        std::int64_t offset = 0;
    };
    std::optional<double> m_wantedTime;      ///< of showTime(), until the logs have been read
    std::optional<WantedLine> m_wantedLine;  ///< the same of showLine()
    QString m_problem;                ///< what is wrong with the search text; empty: nothing
};

}  // namespace ui
