// The actions of the launch window, and the keys for them.
#include "ui/launch/launch_window.h"

#include "ui/launch/draft.h"
#include "ui/launch/launch_side.h"
#include "ui/launch/option_form.h"
#include "ui/launch/preset_menu.h"
#include "ui/launch/start_bar.h"

#include <QAction>
#include <QMenu>
#include <QPushButton>

#include <algorithm>

namespace ui {

QList<ActionSpec> LaunchWindow::actionSpecs()
{
    const QString place = QStringLiteral("launch");
    return {{"launch.start", tr("Start"), "start", QKeySequence(Qt::CTRL | Qt::Key_Return), tr("Start the run when the checks have ended, or save it in the queue"),
                "atelier run FILE", place},
        {"launch.queue", tr("Add to queue"), "queue", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), tr("Start the run when its turn in the queue has come"),
            "atelier run --queue FILE", place},
        {"launch.cancel", tr("Do not start"), {}, {}, tr("Do not start after the checks"), {}, place},
        {"launch.find", tr("Find an option"), "search", QKeySequence(QKeySequence::Find), tr("Find options by their names and descriptions"), "atelier options", place},
        {"launch.ready", tr("Ready experiments…"), "play-demo", {}, tr("Begin with an experiment that comes with Atelier"), {}, place},
        {"launch.presets", tr("Presets…"), "save", {}, tr("Begin with an experiment that you have saved"), "atelier presets", place},
        {"launch.savePreset", tr("Save as a preset"), "save", QKeySequence(QKeySequence::Save), tr("Keep the experiment under a name"), "atelier presets save NAME FILE", place},
        {"launch.saveNewPreset", tr("Save as a new preset…"), {}, {}, tr("Keep the experiment under another name"), {}, place},
        {"launch.renamePreset", tr("Rename the preset…"), "rename", {}, tr("Give the preset that the experiment came from another name"), "atelier presets rename NAME NEW", place},
        {"launch.deletePreset", tr("Delete the preset…"), "trash", {}, tr("Delete the preset that the experiment came from"), "atelier presets rm NAME", place},
        {"launch.open", tr("Open…"), "open", QKeySequence(QKeySequence::Open), tr("Open an experiment file"), {}, place},
        {"launch.save", tr("Save as a file…"), "folder", {}, tr("Write the experiment to a file"), {}, place},
        {"launch.defaults", tr("All defaults"), "revert", {}, tr("Give all options their defaults, or the values that the run has in the queue"), {}, place},
        {"launch.forecast", tr("Forecast"), {}, {}, tr("Show what memory and disk the run needs, and try some steps to know how long it takes"), "atelier plan FILE", place},
        {"launch.copyCommand", tr("Copy the command line"), "copy", {}, tr("Copy the command that does what Start does"), {}, place},
        {"launch.close", tr("Close"), {}, QKeySequence(QKeySequence::Close), tr("Close the window; what is filled in is kept"), {}, place}};
}

void LaunchWindow::setupActions()
{
    const QHash<QString, QAction*> own = {{"launch.queue", &m_bar->queueAction()}, {"launch.savePreset", &m_presets->saveAction()}};
    for (const ActionSpec& spec : actionSpecs()) {
        QAction* action = own.value(spec.id);
        if (!action) {
            action = new QAction(spec.text, this);
            connect(action, &QAction::triggered, this, [this, id = spec.id] { perform(id); });
        }
        action->setShortcut(spec.key);
        addAction(action);
        m_actions.insert(spec.id, action);
    }
}

void LaunchWindow::perform(const QString& id)
{
    const QHash<QString, std::function<void()>> all = {
        {"launch.start", [this] { start(); }},
        {"launch.queue", [this] { addToQueue(); }},
        {"launch.cancel", [this] { setStartPending(false); }},
        {"launch.find", [this] { m_form->focusSearch(); }},
        {"launch.ready", [this] { popUp(*m_ready); }},
        {"launch.presets", [this] { popUp(*m_presets); }},
        {"launch.savePreset", [this] { m_presets->save(); }},
        {"launch.saveNewPreset", [this] { m_presets->saveAs(); }},
        {"launch.renamePreset", [this] { m_presets->renameCurrent(); }},
        {"launch.deletePreset", [this] { m_presets->removeCurrent(); }},
        {"launch.open", [this] { openFile(); }},
        {"launch.save", [this] { saveFile(); }},
        {"launch.defaults", [this] { setExperiment(m_queued.value_or(DraftOrigin())); }},
        {"launch.forecast", [this] { m_side->showForecast(); }},
        {"launch.copyCommand", [this] { m_bar->copyCommandLine(); }},
        {"launch.close", [this] { close(); }},
    };
    Q_ASSERT(all.contains(id));
    if (refusal(id).isEmpty())
        all.value(id)();
}

QString LaunchWindow::refusal(const QString& id) const
{
    const bool isStart = id == QLatin1String("launch.start") || id == QLatin1String("launch.queue");
    const bool isOfPreset = id == QLatin1String("launch.renamePreset") || id == QLatin1String("launch.deletePreset");
    if (isStart && m_isBusy)
        return tr("A run is being started.");
    if (isOfPreset && m_draft->origin().kind != DraftOrigin::Kind::Preset)
        return tr("The experiment did not come from a preset.");
    if (id == QLatin1String("launch.cancel") && !m_isStartPending)
        return tr("No start waits for the checks.");
    if (id == QLatin1String("launch.copyCommand") && !m_bar->hasCommandLine())
        return tr("There is no command line yet, since the form has problems.");
    return {};
}

void LaunchWindow::setKey(const QString& id, const QKeySequence& key) { m_actions.value(id)->setShortcut(key); }

/// At the button that has this menu, or at the first one.
void LaunchWindow::popUp(QMenu& menu) const
{
    const auto buttons = findChildren<QPushButton*>();
    const auto found = std::ranges::find(buttons, &menu, &QPushButton::menu);
    const QPushButton* const button = found == buttons.end() ? buttons.front() : *found;
    menu.popup(button->mapToGlobal(QPoint(0, button->height())));
}

void LaunchWindow::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT actionsChanged();
}

void LaunchWindow::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    Q_EMIT actionsChanged();
}

}  // namespace ui
