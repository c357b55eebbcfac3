// The actions on runs: what they do, when they are enabled, and the status message that each one ends with.
#pragma once
#include "ui/runs/annotate_dialog.h"
#include "ui/runs/run_edits.h"
#include "ui/workbench.h"

#include <QHash>
#include <QObject>
#include <QStringList>

#include <chrono>
#include <functional>
#include <vector>

class QWidget;

namespace ui {

class RunCommands : public QObject {
    Q_OBJECT
public:
    /// @param workbench must outlive this. @param window is the parent of all dialogs.
    /// @param selected returns the ids of the runs that the actions apply to.
    RunCommands(Workbench& workbench, QWidget* window, std::function<QStringList()> selected);

    /// Enables or disables every action by the states of the selected runs. Call it when the selection changes.
    void refresh();

    /// Enables "Open profile folder" if the inspected run has a profile event.
    void refreshProfile();

    /// Writes an edit of runs, which can then be undone. @p what the verb in the texts of undo and redo
    void edit(const QString& what, const QStringList& folders, RunEdits::Change change);
    /// What undo() would undo, as the text of its action; empty: nothing. @p since when it was done
    struct UndoableEdit {
        QString text;
        std::chrono::steady_clock::time_point since;
    };
    UndoableEdit undoableEdit() const;
    /// What redo() would do again; empty: nothing.
    QString redoableEdit() const;
    void undo();
    void redo();
    /// @p edit is called when the user wants to rename a run; a dialog asks for the name unless it returns true.
    void setRenameInPlace(std::function<bool()> edit) { m_renameInPlace = std::move(edit); }

    /// Resumes a run from its checkpoint at @p step. Asks for more steps first if the run has finished and @p step is its
    /// last. No-op for an unknown run.
    void resumeFrom(const QString& runId, std::int64_t step);

    /// Resumes a run from its latest checkpoint; asks for more steps first if it has finished. No-op for an unknown run.
    void resumeLatest(const QString& runId);

    /// Asks how the lines of these runs are to be drawn. No-op when they are all unknown.
    void chooseLine(const QStringList& runIds);
    /// Shows what went wrong first in a run. No-op for an unknown run.
    void showFailure(const QString& runId);
    /// Moves those of the runs to the trash that are not active.
    void trash(const QStringList& runIds);

Q_SIGNALS:
    /// One sentence for the status bar: what was done, or why it could not be done.
    void statusMessage(const QString& sentence);
    /// What can be undone or redone has changed.
    void undoChanged();

private:
    void refreshRemote();
    void registerControl();
    void registerEditing();
    void connectResults();
    void sayTrashed(const QString& name);
    /// Sends @p command to those of @p runs in whose present state it makes sense.
    void send(launcher::ControlCommand command, const std::vector<RunEntry>& runs);
    void start(const std::vector<RunEntry>& runs);
    void resume(const std::vector<RunEntry>& runs);
    void askMoreSteps(const std::vector<RunEntry>& finished);
    void askKill();
    void tryRules();
    void rename();
    void archive();
    void annotate(AnnotateDialog::Part first);
    void exportMetrics();
    bool isTrashUndoneNext() const;
    bool isTrashRedoneNext() const { return !m_undone.empty() && !m_undone.back().isEmpty(); }
    void moveToTrash(const QStringList& runIds);
    /// The runs with these ids, as they are now.
    std::vector<RunEntry> entries(const QStringList& ids) const;
    std::vector<RunEntry> selected() const { return entries(m_selected()); }
    QStringList folders() const;
    void openTrash();
    /// The runs that undo restores: those in the trash that were moved there together, or else the last one that was.
    std::vector<launcher::TrashItem> undoable() const;
    /// The folder of the inspected run's newest trace; empty if it has no trace or is not among the selected runs.
    QString profileFolder() const;

    Workbench& m_workbench;
    QWidget* m_window;
    std::function<QStringList()> m_selected;
    std::function<bool()> m_renameInPlace;
    RunEdits m_edits;
    QStringList m_trashed;  ///< ids of the runs that the last "Move to trash" in this window moved
    std::chrono::steady_clock::time_point m_trashedSince;  ///< when it did
    QHash<QString, QString> m_trashedNames;  ///< of all runs that this window has moved there, by id
    int m_restored = 0;  ///< items that have come back together
    std::vector<QStringList> m_undone;  ///< what undo() has undone, the last one last: the runs that it restored, or none for an edit
};

}  // namespace ui
