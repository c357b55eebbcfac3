// The window in which the user fills in an experiment and starts it, or changes one that waits in the queue. Non-modal: the main window
// stays usable.
#pragma once
#include "launcher/plan/preflight.h"
#include "ui/base/action_registry.h"
#include "ui/base/settings.h"
#include "ui/control/run_control.h"
#include "ui/launch/draft_origin.h"

#include <QHash>
#include <QPointer>
#include <QWidget>

#include <functional>
#include <optional>

class QMenu;
class QMessageBox;

namespace ui {

class Draft;
class DraftKeeper;
class LaunchSide;
class OptionForm;
class PresetMenu;
class StartBar;

class LaunchWindow : public QWidget {
    Q_OBJECT
public:
    /// Restores the draft of the last session, or loads the digits experiment if there is none.
    /// @p control and @p settings must outlive this. Starts where @p control does: on the machine of its mirror, if it has one.
    /// @param queued a run that waits in the queue, with its experiment there: the window then edits that one, in a draft of its own
    LaunchWindow(const launcher::DataHome& home, RunControl& control, Settings& settings,
        const std::optional<DraftOrigin>& queued = {}, QWidget* parent = nullptr);

    /// Loads an experiment file into the draft, as soon as it has been read. Like the two functions below, asks first if the draft holds changes
    /// that are kept nowhere else.
    void load(const QString& file);
    /// Loads the installed experiment @p name: "digits", "emoji".
    void loadReady(const QString& name);
    void setExperiment(const DraftOrigin& origin);
    /// Does what the Start button does: waits for the checks, then starts the run, or saves it in the queue, or shows the first problem.
    void start();
    /// The same, but adds a new run to the queue.
    void addToQueue();
    /// Writes the draft to the file @p name. Paths in it are then relative to that file's folder, or absolute.
    void saveAs(const QString& name);

    /// The actions of launch windows, "launch.start" …, for the registry of the main window.
    static QList<ActionSpec> actionSpecs();
    /// Does what action @p id of actionSpecs() is about in this window.
    void perform(const QString& id);
    /// Why that is not possible now, in one sentence; empty: it is.
    QString refusal(const QString& id) const;
    /// Gives the actions of this window other keys than those of actionSpecs().
    void setKey(const QString& id, const QKeySequence& key);

    Draft& draft() const { return *m_draft; }
    OptionForm& form() const { return *m_form; }

Q_SIGNALS:
    /// The user wants to look into the trash.
    void trashRequested();
    /// The answers of refusal() may have changed, or the window was opened or closed.
    void actionsChanged();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    QWidget* makeTop();
    void popUp(QMenu& menu) const;
    QWidget* makeHostNote();
    void setupActions();
    void connectControl();
    void restoreDraft();
    void update();
    void showCommandLine();
    /// Whether what the user asked for last is to save the run that is edited, not to start or queue another.
    bool isSaving() const { return m_queued && !m_isForQueue; }
    void request(bool isForQueue);
    void startIfValid();
    void finishStart();
    void refuseStart(const QString& message);
    void setStartPending(bool isPending);
    /// What prevents a start, in one sentence; empty: nothing.
    QString firstProblem() const;
    void goToFirstProblem();
    void setBusy(bool isBusy);
    void replaceDraft(std::function<void()> replace);
    /// Shows the first problem that prevents a start, until it is mended.
    void beginStart(const QString& message);
    void chooseRuns();
    void showProblem(const QString& message);
    void openFile();
    void saveFile();
    void applyFix(const launcher::PreflightFix& fix);
    void chooseHome();

    launcher::DataHome m_home;
    RunControl& m_control;
    Settings& m_settings;
    std::optional<DraftOrigin> m_queued;  ///< the run that is being edited; nullopt: a new one
    QHash<QString, QAction*> m_actions;  ///< by id
    Draft* m_draft;
    DraftKeeper* m_keeper;
    OptionForm* m_form;
    PresetMenu* m_presets;
    QMenu* m_ready = nullptr;  ///< ready experiments
    LaunchSide* m_side;
    StartBar* m_bar;
    bool m_isStartPending = false;  ///< start() was called during checks; carried out after them
    bool m_isForQueue = false;      ///< the run that is being started goes to the queue
    bool m_isBusy = false;          ///< a run is being started
    QString m_startedToml;          ///< the draft's text when the run was started
    int m_wantedFile = 0;           ///< of the last load(); what is read later of former ones is dropped
    bool m_isProblemShown = false;  ///< the message is the first problem
    QPointer<QMessageBox> m_question;  ///< whether to replace an edited draft
};

}  // namespace ui
