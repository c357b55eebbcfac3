// The main window's launch windows: one for new experiments, and one for each run in the queue that is being edited.
#include "engine/contract/experiment/experiment.h"
#include "ui/base/background.h"
#include "ui/base/icons.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft_origin.h"
#include "ui/launch/launch_window.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"

#include <QApplication>

#include <algorithm>

namespace ui {

/// The actions of launch windows are done in the one that is active, or else in the one that is open.
void MainWindow::setupLaunchActions()
{
    ActionRegistry& actions = m_workbench->actions;
    actions.addPlace({QStringLiteral("launch"), tr("Launch window"), {QString(kEverywhere)}});
    for (const ActionSpec& spec : LaunchWindow::actionSpecs()) {
        const QAction* const action = actions.add(spec, [this, id = spec.id] {
            if (LaunchWindow* const window = activeLaunchWindow())
                window->perform(id);
        });
        connect(action, &QAction::changed, this, [this, action, id = spec.id] {
            for (LaunchWindow* const window : launchWindows())
                window->setKey(id, action->shortcut());
        });
    }
    refreshLaunchActions();
}

void MainWindow::refreshLaunchActions()
{
    const LaunchWindow* const window = activeLaunchWindow();
    const QString closed = tr("No launch window is open: fill in a new experiment first.");
    for (const ActionSpec& spec : LaunchWindow::actionSpecs()) {
        const QString reason = window ? window->refusal(spec.id) : closed;
        m_workbench->actions.setEnabled(spec.id, reason.isEmpty(), reason);
    }
}

QList<LaunchWindow*> MainWindow::launchWindows() const
{
    QList<LaunchWindow*> windows = m_queuedEdits.values();
    if (m_launch)
        windows.prepend(m_launch);
    return windows;
}

LaunchWindow* MainWindow::activeLaunchWindow() const
{
    const QList<LaunchWindow*> windows = launchWindows();
    if (const auto active = std::ranges::find_if(windows, &QWidget::isActiveWindow); active != windows.end())
        return *active;
    const auto open = std::ranges::find_if(windows, &QWidget::isVisible);
    return open == windows.end() ? nullptr : *open;
}

LaunchWindow* MainWindow::makeLaunchWindow(const std::optional<DraftOrigin>& queued)
{
    auto* const window = new LaunchWindow(m_workbench->home, m_workbench->control, m_workbench->settings, queued);
    window->setWindowIcon(applicationIcon());
    setManualPage(*window, QStringLiteral("launch"));
    for (const ActionSpec& spec : LaunchWindow::actionSpecs())
        window->setKey(spec.id, m_workbench->actions.action(spec.id)->shortcut());
    connect(window, &LaunchWindow::actionsChanged, this, &MainWindow::refreshLaunchActions);
    connect(window, &LaunchWindow::trashRequested, action("run.openTrash"), &QAction::trigger);
    return window;
}

LaunchWindow& MainWindow::openLaunchWindow()
{
    if (!m_launch)
        m_launch = makeLaunchWindow({});
    m_launch->show();
    m_launch->raise();
    m_launch->activateWindow();
    return *m_launch;
}

void MainWindow::duplicateRun()
{
    const RunEntry* const entry = m_workbench->runs.entry(m_workbench->selection.inspected());
    if (!entry) {
        showStatus(tr("No run is selected."));
        return;
    }
    if (entry->status && entry->status->state == launcher::RunState::Imported) {
        showStatus(tr("%1 was imported: another program has recorded it, so there is no experiment to repeat.").arg(entry->name()));
        return;
    }
    const contract::RunFolder folder(entry->row.folder);
    inBackground(this, [folder, attempt = std::max(1, entry->row.attempts)] {
        return contract::loadExperiment(folder.config(attempt));
    }, [this, id = QString::fromStdString(folder.id())](const contract::ParsedExperiment& loaded) {
        if (!loaded.problems.empty())
            showStatus(translatedSentence(loaded.problems.front().message));
        openLaunchWindow().setExperiment({DraftOrigin::Kind::Run, id, loaded.experiment});
    });
}

void MainWindow::editQueued(const QString& id)
{
    if (LaunchWindow* const open = m_queuedEdits.value(id)) {
        open->raise();
        return open->activateWindow();
    }
    const contract::RunFolder folder(m_workbench->home.runs() / id.toStdString());
    inBackground(this, [folder] {
        const std::vector<int> attempts = folder.attempts();
        return contract::loadExperiment(folder.config(attempts.empty() ? 1 : attempts.back()));
    }, [this, id](const contract::ParsedExperiment& loaded) {
        if (!loaded.problems.empty())
            return showStatus(translatedSentence(loaded.problems.front().message));
        if (m_queuedEdits.contains(id))
            return;
        auto* const window = makeLaunchWindow(DraftOrigin {DraftOrigin::Kind::Run, id, loaded.experiment});
        window->setAttribute(Qt::WA_DeleteOnClose);
        m_queuedEdits.insert(id, window);
        connect(window, &QObject::destroyed, this, [this, id] { m_queuedEdits.remove(id); });
        window->show();
    });
}

}  // namespace ui
