// The main window's menus and toolbar, and the actions that it registers itself.
#include "ui/base/appearance.h"
#include "ui/access/find_here.h"
#include "ui/access/table_keys.h"
#include "ui/gpus/gpu_bars.h"
#include "ui/language/language.h"
#include "ui/launch/launch_window.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"
#include "ui/notify/alerts_button.h"
#include "ui/notify/alerts_model.h"
#include "ui/notify/webhook_dialog.h"
#include "ui/run_commands.h"
#include "ui/runs/runs_view.h"
#include "ui/system/system_view.h"
#include "ui/views_menu.h"

#include <QAbstractItemView>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QLocale>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

namespace ui {

QAction* MainWindow::action(const char* id) const
{
    return m_workbench->actions.action(QLatin1String(id));
}

void MainWindow::setupActions()
{
    ActionRegistry& actions = m_workbench->actions;
    actions.add({"experiment.new", tr("&New experiment…"), "new", QKeySequence(QKeySequence::New),
                    tr("Fill in an experiment and start it"), "atelier run FILE"},
        [this] { openLaunchWindow(); });
    actions.add({"experiment.open", tr("&Open experiment…"), "open", QKeySequence(QKeySequence::Open),
                    tr("Open an experiment file in the launch window"), "atelier FILE"},
        [this] {
            auto* dialog = new QFileDialog(this, tr("Open an experiment"), QString(), tr("Experiments (*.toml)"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &QFileDialog::fileSelected, this,
                [this](const QString& file) { openLaunchWindow().load(file); });
            dialog->open();
        });
    actions.add({"experiment.demo", tr("Run the &digits demo"), "play-demo", {},
                    tr("Train a small model on handwritten digits, about two minutes"),
                    "atelier run digits"},
        [this] { startDemo(QStringLiteral("digits")); });
    actions.add({"experiment.emoji", tr("Run the &emoji demo"), "play-demo", {},
                    tr("Train a small model to draw emoji from their names; the first images take some minutes"),
                    "atelier run emoji"},
        [this] { startDemo(QStringLiteral("emoji")); });
    actions.add({"run.newest", tr("Show the newest run"), "eye", {}, tr("Show the run that was prepared last"), {}},
        [this] {
            const auto& runs = m_workbench->runs.entries();
            if (!runs.empty())
                openRun(std::ranges::max_element(runs, {}, [](const RunEntry& run) { return run.row.createdUnixMs; })->id());
        });
    actions.add({"run.duplicate", tr("D&uplicate in the launch window"), "copy", {},
                    tr("Fill in a new experiment with this run's options"), "atelier run --like RUN"},
        [this] { duplicateRun(); });
    actions.add({"run.queue", tr("Add to &queue"), "queue", {}, tr("Resume or start the run when its turn in the queue has come"),
                    "atelier queue add RUN"},
        [this] {
            for (const QString& id : selectedRuns()) {
                if (const RunEntry* const entry = m_workbench->runs.entry(id); entry && refusal(RunVerb::Queue, *entry).isEmpty())
                    m_workbench->control.queueRun(entry->folder());
            }
        });
    actions.add({"run.editQueued", tr("Edit in the queue…"), {}, {}, tr("Change the experiment of a run that waits in the queue; it keeps its place"),
                    "atelier queue edit RUN --set KEY=VALUE"},
        [this] {
            if (const QStringList runs = selectedRuns(); runs.size() == 1)
                editQueued(runs.front());
        });
    actions.add({"run.debug", tr("De&bug package…"), {}, {}, tr("Write one file about the run, without secrets, for whoever is to find out what went wrong"),
                    "atelier debug RUN FILE"},
        [this] { openDebugPackage(); });
    actions.add({"app.import", tr("&Import runs…"), {}, {}, tr("Bring in runs that TensorBoard, Weights & Biases or trackio have recorded"),
                    "atelier import PATH"},
        [this] { importRuns(); });
    actions.add({"run.pack", tr("Pack into a fi&le…"), {}, {}, tr("Write the run with all its files to one archive, a plain tar file"), "atelier pack RUN FILE"},
        [this] { packRun(); });
    actions.add({"app.unpack", tr("Unpac&k a run…"), {}, {}, tr("Bring in a run that was packed, here or elsewhere"), "atelier unpack FILE"},
        [this] { chooseArchive(); });
    actions.add({"app.disk", tr("Disk &usage…"), {}, {}, tr("Show what occupies the disk, by run and kind of file, and make room"), "atelier disk"},
        [this] { openDisk(); });
    actions.add({"app.machine", tr("Open another &machine…"), {}, {}, tr("Show the runs of another machine, through SSH, in a window of their own"),
                    "atelier --host HOST"},
        [this] { openMachine(); });
    actions.add({"app.quit", tr("&Quit"), {}, QKeySequence(QKeySequence::Quit),
                    tr("Close the window; training continues"), {}},
        [this] { close(); });
    actions.add({"view.readAgain", tr("Re&load"), "refresh", QKeySequence(QKeySequence::Refresh),
                    tr("Read all run folders again"), {}},
        [this] {
            m_workbench->store.readAgain();
            m_workbench->watch.readAgain();
        });
    QAction* const notifications = actions.add({"view.notifications", tr("&Notifications"), {}, {},
                                                   tr("Let the desktop tell when a run ends or hangs while another window is in front"), {}},
        [] {});
    notifications->setCheckable(true);
    notifications->setChecked(m_workbench->settings.areNotificationsOn());
    connect(notifications, &QAction::toggled, this, [this](bool isOn) { m_workbench->settings.setNotificationsOn(isOn); });
    actions.add({"app.webhook", tr("Tell a &web address…"), {}, {}, tr("Send a message to a chat or a program when a run finishes, fails or hangs"),
                    "atelier notify URL"},
        [this] {
            auto* const dialog = new WebhookDialog(m_workbench->home, this);
            setManualPage(*dialog, QStringLiteral("views"));
            dialog->open();
        });
    actions.add({"help.manual", tr("&Manual"), {}, QKeySequence(QKeySequence::HelpContents), tr("Open the page about what has the focus"), {}, kEverywhere},
        [this] { openManual(); })->setShortcutContext(Qt::ApplicationShortcut);  // in the launch window, too
    actions.add({"view.palette", tr("Palette…"), "search", QKeySequence(Qt::CTRL | Qt::Key_K),
                    tr("Find an action, a run, a metric or an option by some of its letters"), {}, kEverywhere},
        [this] { openPalette(); })->setShortcutContext(Qt::ApplicationShortcut);
    actions.add({"help.keys", tr("&Keys…"), {}, QKeySequence(Qt::CTRL | Qt::Key_Slash), tr("List all actions with their keys, and give them others"), {},
                    kEverywhere},
        [this] { showKeys(); })->setShortcutContext(Qt::ApplicationShortcut);
    actions.add({"help.about", tr("&About Atelier"), "info", {}, tr("Version and licence"), {}},
        [this] { showAbout(); });
}

void MainWindow::setupViewActions()
{
    ActionRegistry& actions = m_workbench->actions;
    const QStringList names = {tr("&Plots"), tr("&Samples"), tr("&Checkpoints"), tr("Co&mpare"), tr("Da&ta")};
    for (int tab = 0; tab < names.size(); ++tab) {
        actions.add({QStringLiteral("view.tab%1").arg(tab + 1), names[tab], {},
                        QKeySequence(QKeySequence::fromString(QStringLiteral("Ctrl+%1").arg(tab + 1))), {}, {}},
            [this, tab] { m_tabs->setCurrentIndex(tab); });
    }
    actions.add({"view.runsDock", tr("&Runs dock"), {}, QKeySequence(Qt::Key_F9), tr("Show or hide the runs"), {}},
        [this] { m_runsDock->setVisible(!m_runsDock->isVisible()); });
    actions.add({"view.nextPane", tr("Ne&xt part of the window"), {}, QKeySequence(Qt::Key_F6), tr("Move the focus to the next dock or tab"), {}},
        [this] { focusPane(1); });
    actions.add({"view.previousPane", tr("Prev&ious part of the window"), {}, QKeySequence(Qt::SHIFT | Qt::Key_F6), tr("Move the focus to the dock or tab before"), {}},
        [this] { focusPane(-1); });
    actions.add({"view.fullScreen", tr("F&ull screen"), {}, QKeySequence(Qt::Key_F11), {}, {}},
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    actions.add({"view.find", tr("&Find"), "search", QKeySequence(QKeySequence::Find),
                    tr("Find in what has the focus: lines, rows, metrics, prompts, captions; elsewhere filter the runs"), {}},
        [this] { findHere().focusField(); });
    actions.add({"view.findNext", tr("Find next"), {}, QKeySequence(Qt::Key_F3), tr("Go to the next line, row or picture that was found"), {}},
        [this] { findHere().step(1); });
    actions.add({"view.findPrevious", tr("Find previous"), {}, QKeySequence(Qt::SHIFT | Qt::Key_F3), tr("Go to the one before"), {}},
        [this] { findHere().step(-1); });
    QAction* const sort = actions.add({"view.sort", tr("Sort by…"), {}, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
                                          tr("Choose the column by which the table that has the focus is sorted"), {}},
        [this] {
            if (QAbstractItemView* const table = sortableTableAt(QApplication::focusWidget()))
                openSortMenu(*table);
            else
                showStatus(tr("Nothing can be sorted here: go to a table first, with Tab or F6."));
        });
    qApp->installEventFilter(new TableKeys(*sort, this));
    actions.add({"view.search", tr("Searc&h in all runs…"), "search", QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_F),
                    tr("Find a text in names, notes, tags, options, errors and logs"), "atelier search TEXT"},
        [this] { openSearch(); });
    actions.add({"view.alerts", tr("Alerts…"), "bell", {}, tr("List what has happened in all runs: ends, failures, stalls, rules that fired, a full disk"),
                    "atelier alerts"},
        [this] { openAlerts(); });
    actions.add({"view.columns", tr("C&olumns of the runs…"), {}, {}, tr("Choose which options and metrics the runs table shows"), {}},
        [this] { m_runsView->columns().choose(); });
    QAction* const archived = actions.add(
        {"view.archived", tr("Show &archived runs"), "archive", {}, {}, "atelier list --all"}, [this] {
            const bool isShown = action("view.archived")->isChecked();
            m_runsView->setArchivedShown(isShown);
            m_workbench->settings.setViewState(QStringLiteral("archived"), isShown ? "1" : "0");
        });
    archived->setCheckable(true);
    archived->setChecked(m_workbench->settings.viewState(QStringLiteral("archived")) == "1");
    m_runsView->setArchivedShown(archived->isChecked());
}

/// Of the view that has the focus, or of the tab whose name has it, or else of the runs.
FindHere MainWindow::findHere() const
{
    const QWidget* const focused = QApplication::focusWidget();
    for (const QWidget* const place : std::initializer_list<const QWidget*> {focused, m_tabs->isAncestorOf(focused) ? m_tabs->currentWidget() : nullptr}) {
        if (const FindHere find = findHereOf(place); find.focusField)
            return find;
    }
    return findHereOf(m_runsView);
}

void MainWindow::setupMenus()
{
    const auto fillMenu = [this](QMenu* menu, std::initializer_list<const char*> ids) {
        menu->setToolTipsVisible(true);
        for (const char* id : ids) {
            if (*id == '-')
                menu->addSeparator();
            else
                menu->addAction(action(id));
        }
    };
    fillMenu(menuBar()->addMenu(tr("&File")),
        {"experiment.new", "experiment.open", "experiment.demo", "experiment.emoji", "-", "app.import", "app.unpack", "app.disk", "-", "app.machine", "-", "app.quit"});
    fillMenu(menuBar()->addMenu(tr("&Edit")), {"edit.undo", "edit.redo"});
    auto* run = menuBar()->addMenu(tr("&Run"));
    fillMenu(run, {"run.start", "run.stop", "run.stopNow", "run.kill", "-", "run.checkpoint", "run.sample", "run.resume", "run.queue", "run.editQueued", "run.failure", "run.rules", "-",
                      "run.newest", "run.draw", "run.rename", "run.tags", "run.project", "run.note", "run.line", "run.archive", "run.duplicate", "-",
                      "run.export", "run.openFolder", "run.openProfile", "run.pack", "run.debug", "run.copyId", "-", "run.trash", "run.openTrash"});
    auto* view = menuBar()->addMenu(tr("&View"));
    fillMenu(view, {"view.tab1", "view.tab2", "view.tab3", "view.tab4", "view.tab5", "-", "view.palette", "view.find", "view.findNext",
                       "view.findPrevious", "view.search", "view.alerts", "view.metrics", "view.readAgain", "view.sort", "view.columns", "view.archived", "-",
                       "view.runsDock"});
    view->addMenu(createPopupMenu())->setText(tr("&Docks and toolbars"));
    view->addMenu(m_views);
    setupAppearance(view->addMenu(tr("App&earance")));
    setupLanguage(view->addMenu(tr("Lan&guage")));
    view->addAction(action("view.notifications"));
    view->addAction(action("app.webhook"));
    fillMenu(view, {"-", "view.nextPane", "view.previousPane", "view.fullScreen"});
    fillMenu(menuBar()->addMenu(tr("&Help")), {"help.manual", "help.keys", "help.about"});

    auto* context = new QMenu(this);
    fillMenu(context, {"run.draw", "-", "run.start", "run.stop", "run.stopNow", "run.kill", "run.checkpoint", "run.sample",
                          "run.resume", "run.queue", "run.editQueued", "run.failure", "-", "run.rename", "run.tags", "run.project", "run.note", "run.line", "run.archive", "run.duplicate",
                          "run.export", "run.openFolder",
                          "run.openProfile", "run.copyId", "-", "run.trash"});
    m_runsView->setContextMenu(context);
    m_runsView->addTableAction(action("run.trash"));
}

void MainWindow::setupAppearance(QMenu* menu)
{
    auto* group = new QActionGroup(menu);
    struct Choice {
        QString id, text;
        Appearance appearance;
    };
    const std::initializer_list<Choice> choices = {{QStringLiteral("system"), tr("Same as the &system"), Appearance::System},
        {QStringLiteral("light"), tr("&Light"), Appearance::Light}, {QStringLiteral("dark"), tr("&Dark"), Appearance::Dark}};
    for (const auto& [id, text, appearance] : choices) {
        QAction* const choice = menu->addAction(text);
        choice->setCheckable(true);
        choice->setChecked(m_workbench->settings.appearance() == appearance);
        group->addAction(choice);
        connect(choice, &QAction::triggered, this, [this, chosen = appearance] {
            m_workbench->settings.setAppearance(chosen);
            applyAppearance(chosen);
        });
        registerChoice(QStringLiteral("view.appearance.") + id, tr("Appearance: %1").arg(titleText(text)), tr("In effect at once"), *choice);
    }
}

void MainWindow::setupLanguage(QMenu* menu)
{
    auto* group = new QActionGroup(menu);
    const auto addChoice = [this, menu, group](const QString& text, const QString& code) {
        QAction* const choice = menu->addAction(text);
        choice->setCheckable(true);
        choice->setChecked(m_workbench->settings.language() == code);
        group->addAction(choice);
        connect(choice, &QAction::triggered, this, [this, code] {
            m_workbench->settings.setLanguage(code);
            showStatus(tr("The window speaks this language when it is next opened."));
        });
        const QString english = QLocale::languageToString(QLocale(code).language());
        const QString name = code.isEmpty() || text == english ? titleText(text) : QStringLiteral("%1 (%2)").arg(text, english);
        registerChoice(QStringLiteral("view.language.") + (code.isEmpty() ? QStringLiteral("system") : code), tr("Language: %1").arg(name),
            tr("In effect when Atelier is next opened"), *choice);
    };
    addChoice(tr("Same as the &system"), {});
    for (const QString& code : languages())
        addChoice(code == QLatin1String("en") ? QStringLiteral("English") : QLocale(code).nativeLanguageName(), code);
}

/// Makes the choice in a menu an action that is found and has a key by a title that says what is chosen.
void MainWindow::registerChoice(const QString& id, const QString& title, const QString& help, QAction& choice)
{
    m_workbench->actions.addTo(*this, {id, title, {}, {}, help, {}}, [&choice] { choice.trigger(); });
}

void MainWindow::setupToolBar()
{
    QToolBar* const bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setIconSize(QSize(16, 16));
    action("experiment.new")->setIconText(tr("New"));
    for (const char* id : {"experiment.new", "run.start"})
        bar->addAction(action(id));
    bar->addSeparator();
    setupStopButton(bar);
    for (const char* id : {"run.resume", "run.checkpoint", "run.sample"})
        bar->addAction(action(id));
    bar->addSeparator();
    action("view.search")->setIconText(tr("Search"));
    bar->addAction(action("view.search"));
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    setupGpuBars(bar);
    m_alerts = new AlertsModel(m_workbench->store, m_workbench->runs, m_workbench->settings, m_workbench->mirror != nullptr, this);
    connect(&m_workbench->queue, &QueueWatch::changed, m_alerts, [this] {
        if (const QueueState& state = m_workbench->queue.state(); state.problem.isEmpty())
            m_alerts->setQueue(state.queue);
    });
    bar->addWidget(new AlertsButton(*m_alerts, *action("view.alerts"), bar));
}

/// While a run is stopping, only what the menu offers is left to do: then the whole button opens the menu.
void MainWindow::setupStopButton(QToolBar* bar)
{
    auto* button = new QToolButton(bar);
    button->setDefaultAction(action("run.stop"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto* more = new QMenu(button);
    more->addAction(action("run.stopNow"));
    more->addAction(action("run.kill"));
    button->setMenu(more);
    button->setPopupMode(QToolButton::MenuButtonPopup);
    connect(button, &QToolButton::pressed, this, [this, button] {
        if (!action("run.stop")->isEnabled())
            button->showMenu();
    });
    const auto refresh = [this, button] {
        button->setEnabled(action("run.stop")->isEnabled() || action("run.stopNow")->isEnabled() || action("run.kill")->isEnabled());
    };
    for (const char* id : {"run.stop", "run.stopNow", "run.kill"})
        connect(action(id), &QAction::changed, button, refresh);
    refresh();
    bar->addWidget(button);
}

/// A click on a bar shows the curves of that GPU; those of the run that has ranks on it, if it is one of ours.
void MainWindow::setupGpuBars(QToolBar* bar)
{
    m_gpus = new GpuWatch(m_workbench->mirror.get(), this);
    auto* bars = new GpuBars(*m_gpus, m_workbench->runs, bar);
    QAction* const shown = bar->addWidget(bars);
    shown->setVisible(false);
    connect(bars, &GpuBars::availableChanged, shown, &QAction::setVisible);
    connect(bars, &GpuBars::chosen, this, [this](int gpu, const QString& runId) {
        if (!runId.isEmpty())
            openRun(runId);
        m_systemDock->show();
        m_systemDock->raise();
        static_cast<SystemView*>(m_systemDock->widget())->reveal(gpu);
    });
    m_gpus->follow(*this);
}

void MainWindow::showAbout()
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Atelier"),
        tr("<h3>Atelier %1</h3>A workbench for post-training diffusion models."
           "<p>The sources are under the Apache License 2.0. This program, with QCustomPlot in it, is "
           "under the GNU General Public License 3.").arg(QApplication::applicationVersion()),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace ui
