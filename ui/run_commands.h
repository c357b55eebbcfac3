// The actions on runs: what they do, when they are offered, what is said when they were carried out.
#pragma once
#include "ui/runs/run_edits.h"
#include "ui/workbench.h"

#include <QObject>
#include <QStringList>

#include <functional>

class QWidget;

namespace ui {

class RunCommands : public QObject {
    Q_OBJECT
public:
    /// @param window is the parent of questions. @param selected gives the ids the actions are for.
    RunCommands(Workbench& workbench, QWidget* window, std::function<QStringList()> selected);

    /// Enables every action from the states of the selected runs; called when one of the two changes.
    void refresh();

    /// The inspected run's events tell whether it has a profile; called when they are read.
    void refreshProfile();

    /// Goes on from the checkpoint of @p step, or asks for more steps when the run has made all of its own.
    void resumeFrom(const QString& runId, std::int64_t step);

Q_SIGNALS:
    /// One sentence about what was done, or why not.
    void said(const QString& sentence);

private:
    void registerControl();
    void registerEditing();
    void connectAnswers();
    void send(launcher::ControlCommand command);
    void resume();
    void askMoreSteps(const std::vector<RunEntry>& finished);
    void askKill();
    void rename();
    void archive();
    void trash();
    void undoTrash();
    std::vector<RunEntry> entries() const;
    QStringList folders() const;
    /// Where the inspected run's newest trace lies; empty: it has none, or others are selected.
    QString profileFolder() const;

    Workbench& m_workbench;
    QWidget* m_window;
    std::function<QStringList()> m_selected;
    RunEdits m_edits;
    QStringList m_trashed;  ///< for undo, the last ones
};

}  // namespace ui
