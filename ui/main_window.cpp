#include "ui/main_window.h"

#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/window_size.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/compare/compare_view.h"
#include "ui/data/data_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/inspector/events_view.h"
#include "ui/inspector/inspector.h"
#include "ui/launch/launch_window.h"
#include "ui/logs/logs_dock.h"
#include "ui/notify/notifications.h"
#include "ui/plot/plots_view.h"
#include "ui/queue/queue_view.h"
#include "ui/run_commands.h"
#include "ui/runs/runs_view.h"
#include "ui/status_strip.h"
#include "ui/system/system_view.h"
#include "ui/store_messages.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDateTime>
#include <QDockWidget>
#include <QMessageBox>
#include <QStatusBar>
#include <QTabWidget>

#include <algorithm>

namespace ui {

MainWindow::MainWindow(const launcher::DataHome& home)
    : m_workbench(std::make_unique<Workbench>(home))
{
    setWindowTitle(tr("Atelier"));
    setObjectName(QStringLiteral("mainWindow"));
    qApp->installEventFilter(new PlainLabels(this));
    setDockNestingEnabled(true);
    m_workbench->selection.restoreLooks(m_workbench->settings.looks());
    m_runsToDraw = m_workbench->settings.drawnRuns();
    m_runToInspect = m_workbench->settings.inspectedRun();
    m_runsView = new RunsView(m_workbench->runs, m_workbench->watch, m_workbench->fields, m_workbench->selection);
    m_commands = new RunCommands(*m_workbench, this, [this] { return selectedRuns(); });
    setupActions();
    setupViewActions();
    setupTabs();
    setupDocks();
    setupMenus();
    setupToolBar();
    setupStatusBar();
    connect(new StoreMessages(*m_workbench, *m_runsView, this), &StoreMessages::statusMessage, this, &MainWindow::showStatus);
    connectRuns();
    restoreLayout();
    m_commands->refresh();
}

MainWindow::~MainWindow()
{
    // The views refer to the workbench until they are destroyed, so they must be deleted before it.
    delete m_launch;
    delete takeCentralWidget();
    qDeleteAll(findChildren<QDockWidget*>());
}

void MainWindow::setupTabs()
{
    Workbench& bench = *m_workbench;
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Views"));
    auto* plots = new PlotsView(bench.store, bench.selection);
    m_tabs->addTab(plots, tr("Plots"));
    const QString plotsName = QStringLiteral("plots");
    plots->setChoices(plotChoicesFromJson(bench.settings.viewState(plotsName)));
    connect(plots, &PlotsView::statusMessage, this, &MainWindow::showStatus);
    connect(plots, &PlotsView::choicesChanged, this,
        [&bench, plots, plotsName] { bench.settings.setViewState(plotsName, toJson(plots->choices())); });
    plots->setEmptyActions(firstSteps());
    const auto showHasRuns = [&bench, plots] { plots->setHasRuns(!bench.runs.entries().empty()); };
    connect(&bench.watch, &RunWatch::loaded, plots, showHasRuns);
    connect(&bench.runs, &RunsModel::runsChanged, plots, showHasRuns);
    connect(&bench.runs, &RunsModel::ticked, plots, [&bench, plots] {
        std::vector<RunEntry> drawn;
        for (const Selection::DrawnRun& run : bench.selection.drawn()) {
            if (const RunEntry* const entry = bench.runs.entry(run.runId))
                drawn.push_back(*entry);
        }
        plots->setStale(silentRuns(drawn, QDateTime::currentMSecsSinceEpoch()));
    });
    m_tabs->addTab(new GalleryView(bench.store, bench.selection), tr("Samples"));
    auto* checkpoints = new CheckpointsView(bench.store, bench.selection);
    m_tabs->addTab(checkpoints, tr("Checkpoints"));
    connect(checkpoints, &CheckpointsView::resumeRequested, m_commands, &RunCommands::resumeFrom);
    connect(&bench.trash, &TrashWatch::changed, checkpoints, [&bench, checkpoints] { checkpoints->setTrash(bench.trash.items()); });
    auto* compare = new CompareView(bench.store, bench.selection);
    m_tabs->addTab(compare, tr("Compare"));
    const QString compareName = QStringLiteral("compare");
    compare->setChoices(bench.settings.viewState(compareName));
    connect(compare, &CompareView::choicesChanged, this,
        [&bench, compare, compareName] { bench.settings.setViewState(compareName, compare->choices()); });
    m_tabs->addTab(new DataView(bench.store, bench.selection), tr("Data"));
    const QString baselineName = QStringLiteral("baseline");
    bench.selection.setBaseline(QString::fromUtf8(bench.settings.viewState(baselineName)));
    connect(&bench.selection, &Selection::baselineChanged, this,
        [&bench, baselineName] { bench.settings.setViewState(baselineName, bench.selection.chosenBaseline().toUtf8()); });
    setCentralWidget(m_tabs);
}

QDockWidget* MainWindow::addDock(
    const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    content->setAccessibleName(title);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::setupDocks()
{
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    Workbench& bench = *m_workbench;
    m_runsDock = addDock(QStringLiteral("runsDock"), tr("Runs"), m_runsView, Qt::LeftDockWidgetArea);
    auto* inspector = new Inspector(bench.runs, bench.facts, bench.selection);
    m_inspectorDock = addDock(QStringLiteral("inspectorDock"), tr("Inspector"), inspector, Qt::RightDockWidgetArea);
    connect(inspector, &Inspector::resumeRequested, m_commands, &RunCommands::resumeLatest);
    connect(inspector, &Inspector::edited, m_commands,
        [this](const QString& what, const QString& folder, const RunEdits::Change& change) { m_commands->edit(what, {folder}, change); });
    // In the inspector, F2 edits the name that the user looks at.
    m_commands->setRenameInPlace([inspector] {
        if (!inspector->isAncestorOf(QApplication::focusWidget()))
            return false;
        inspector->editName();
        return true;
    });
    m_logs = new LogsDock(bench.runs, bench.selection);
    m_logsDock = addDock(QStringLiteral("logsDock"), tr("Logs"), m_logs, Qt::BottomDockWidgetArea);
    auto* events = addDock(
        QStringLiteral("eventsDock"), tr("Events"), new EventsView(bench.facts), Qt::BottomDockWidgetArea);
    tabifyDockWidget(m_logsDock, events);
    auto* system = new SystemView(bench.store, bench.selection);
    connect(system, &SystemView::statusMessage, this, &MainWindow::showStatus);
    tabifyDockWidget(events, addDock(QStringLiteral("systemDock"), tr("System"), system, Qt::BottomDockWidgetArea));
    auto* queue = new QueueView(bench.queue, bench.runs, bench.actions);
    connect(queue, &QueueView::runChosen, this, &MainWindow::openRun);
    connect(queue, &QueueView::statusMessage, this, &MainWindow::showStatus);
    tabifyDockWidget(events, addDock(QStringLiteral("queueDock"), tr("Queue"), queue, Qt::BottomDockWidgetArea));
    m_logsDock->raise();
}

void MainWindow::setupStatusBar()
{
    auto* strip = new StatusStrip(m_workbench->runs, m_workbench->home.data, statusBar());
    statusBar()->addPermanentWidget(strip);
    auto* notifications = new Notifications(m_workbench->runs, m_workbench->settings, *this);
    connect(strip, &StatusStrip::freeSpaceRead, &notifications->alerts(), &RunAlerts::setFreeSpace);
    connect(notifications, &Notifications::runChosen, this, &MainWindow::openRun);
    statusBar()->setAccessibleName(tr("Status"));
    connect(m_commands, &RunCommands::statusMessage, this, &MainWindow::showStatus);
}

void MainWindow::showStatus(const QString& sentence)
{
    constexpr int kDurationMs = 15'000;
    statusBar()->showMessage(sentence, kDurationMs);
}

void MainWindow::connectRuns()
{
    Workbench& bench = *m_workbench;
    connect(m_runsView, &RunsView::selectionChanged, m_commands, &RunCommands::refresh);
    connect(&bench.selection, &Selection::inspectedChanged, m_commands, &RunCommands::refresh);
    connect(&bench.selection, &Selection::inspectedChanged, this, &MainWindow::showTitle);
    connect(&bench.runs, &RunsModel::entryChanged, this, &MainWindow::showTitle);
    connect(&bench.runs, &RunsModel::runsChanged, this, &MainWindow::showTitle);
    connect(&bench.selection, &Selection::drawnChanged, this,
        [this] { saveSelection(); });
    connect(&bench.selection, &Selection::inspectedChanged, this, [this] { saveSelection(); });
    const auto showRuns = [this] {
        setMissingRunsAside();
        if (!m_runToOpen.isEmpty() && m_workbench->runs.entry(m_runToOpen))
            openRun(std::exchange(m_runToOpen, {}));
        restoreSelection();
        openNewestRun();
    };
    connect(&bench.watch, &RunWatch::loaded, this, showRuns);
    connect(&bench.runs, &RunsModel::runsChanged, this, showRuns);
    connect(&bench.control, &RunControl::started, this, [this](const QString& id, const QString& folder) {
        m_workbench->store.catchUp(folder);
        openRun(id);
    });
    connect(&bench.control, &RunControl::queued, this, [this](const QString& id, const QString& folder) {
        m_workbench->store.catchUp(folder);
        m_workbench->watch.refreshStatus(id);
        openRun(id);
        showStatus(tr("Added to the queue."));
    });
    connect(&bench.control, &RunControl::startFailed, this, &MainWindow::showStatus);
    m_runsView->setEmptyActions(firstSteps());
}

void MainWindow::showTitle()
{
    const RunEntry* const entry = m_workbench->runs.entry(m_workbench->selection.inspected());
    setWindowTitle(entry ? tr("%1 – Atelier").arg(plainTitle(entry->name())) : tr("Atelier"));
}

/// What to do while there are no runs.
QList<ViewAction> MainWindow::firstSteps()
{
    return {{tr("New experiment"), [this] { openLaunchWindow(); }},
        {tr("Run the digits demo"), [this] { startDemo(QStringLiteral("digits")); }},
        {tr("Run the emoji demo"), [this] { startDemo(QStringLiteral("emoji")); }}};
}

void MainWindow::saveSelection()
{
    QStringList drawn;
    for (const Selection::DrawnRun& run : m_workbench->selection.drawn())
        drawn << run.runId;
    Settings& settings = m_workbench->settings;
    settings.setDrawnRuns(drawn);
    settings.setInspectedRun(m_workbench->selection.inspected());
    settings.setLooks(m_workbench->selection.looks());
}

/// Draws and inspects no run that the table has lost: it was moved to the trash, by this window or another program. If it
/// comes back, it is shown as before.
void MainWindow::setMissingRunsAside()
{
    Selection& selection = m_workbench->selection;
    const auto isMissing = [this](const QString& id) { return m_workbench->runs.entry(id) == nullptr; };
    QStringList missing;
    for (const Selection::DrawnRun& run : selection.drawn()) {
        if (isMissing(run.runId))
            missing << run.runId;
    }
    m_runsToDraw << missing;
    selection.setDrawn(missing, false);
    if (selection.inspected().isEmpty() || !isMissing(selection.inspected()))
        return;
    m_runToInspect = selection.inspected();
    selection.setInspected({});
}

/// Draws and inspects the runs of the last session, and those set aside, as far as the table has them by now; it may still be filling.
void MainWindow::restoreSelection()
{
    Selection& selection = m_workbench->selection;
    const auto isKnown = [this](const QString& id) { return m_workbench->runs.entry(id) != nullptr; };
    QStringList found;
    for (const QString& id : std::exchange(m_runsToDraw, {}))
        (isKnown(id) ? found : m_runsToDraw) << id;
    selection.setDrawn(found, true);
    if (!isKnown(m_runToInspect))
        return;
    const QString inspected = std::exchange(m_runToInspect, {});
    if (selection.inspected().isEmpty())
        selection.setInspected(inspected);
}

// A window without a last session shows the newest run unless another one was requested. The index may still be empty
// when it is first read and fill while the run folders are ingested, so this is called again when runs are added.
void MainWindow::openNewestRun()
{
    const auto& entries = m_workbench->runs.entries();
    if (entries.empty() || !m_runToOpen.isEmpty() || !m_workbench->selection.inspected().isEmpty())
        return;
    const auto newest = std::ranges::max_element(
        entries, {}, [](const RunEntry& entry) { return entry.row.createdUnixMs; });
    if (m_workbench->selection.drawn().isEmpty())
        openRun(newest->id());
    else
        m_workbench->selection.setInspected(newest->id());
}

void MainWindow::openRun(const QString& runId)
{
    if (!m_workbench->runs.entry(runId)) {
        m_runToOpen = runId;
        return;
    }
    m_workbench->selection.setInspected(runId);
    m_workbench->selection.setDrawn(runId, true);
    m_runsView->reveal(runId);
}

QStringList MainWindow::selectedRuns() const
{
    const QStringList selected = m_runsView->selectedRuns();
    const QString& inspected = m_workbench->selection.inspected();
    return selected.isEmpty() && !inspected.isEmpty() ? QStringList(inspected) : selected;
}

LaunchWindow& MainWindow::openLaunchWindow()
{
    if (!m_launch) {
        m_launch = new LaunchWindow(m_workbench->home, m_workbench->control, m_workbench->settings);
        m_launch->setWindowIcon(applicationIcon());
        connect(m_launch, &LaunchWindow::trashRequested, action("run.openTrash"), &QAction::trigger);
    }
    m_launch->show();
    m_launch->raise();
    m_launch->activateWindow();
    return *m_launch;
}

void MainWindow::startDemo(const QString& name)
{
    const auto file = launcher::resourcesFolder() / "experiments" / (name.toStdString() + ".toml");
    const auto loaded = contract::loadExperiment(file);
    if (!loaded.problems.empty()) {
        showStatus(QString::fromStdString(loaded.problems.front().message));
        return;
    }
    showStatus(tr("Starting the %1 demo…").arg(name));
    m_workbench->control.start(loaded.experiment);
}

void MainWindow::restoreLayout()
{
    resize(sizeOnScreen(*this, QSize(1600, 960)));
    restoreGeometry(m_workbench->settings.geometry(objectName()));
    const QByteArray layout = m_workbench->settings.layout();
    m_isFirstLayout = layout.isEmpty() || !restoreState(layout);
    const QString runs = QStringLiteral("runs");
    m_runsView->restoreHeader(m_workbench->settings.header(runs));
    connect(m_runsView, &RunsView::headerChanged, this,
        [this, runs] { m_workbench->settings.setHeader(runs, m_runsView->headerState()); });
    const QString tab = QStringLiteral("tab");
    m_tabs->setCurrentIndex(m_workbench->settings.viewState(tab).toInt());
    connect(m_tabs, &QTabWidget::currentChanged, this,
        [this, tab](int index) { m_workbench->settings.setViewState(tab, QByteArray::number(index)); });
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (std::exchange(m_isFirstLayout, false))
        arrangeDocks();
}

void MainWindow::arrangeDocks()
{
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const int runsWidth = 60 * digit;
    const int inspectorWidth = 39 * digit;
    // Where the plots would have no room beside both docks, the inspector is a tab behind the runs.
    constexpr int kPlotsWidth = 480;
    if (width() < runsWidth + kPlotsWidth + inspectorWidth) {
        tabifyDockWidget(m_runsDock, m_inspectorDock);
        m_runsDock->raise();
        resizeDocks({m_runsDock}, {runsWidth}, Qt::Horizontal);
    } else {
        resizeDocks({m_runsDock, m_inspectorDock}, {runsWidth, inspectorWidth}, Qt::Horizontal);
    }
    resizeDocks({m_logsDock}, {std::min(fontMetrics().height() * 13, height() / 4)}, Qt::Vertical);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const auto& entries = m_workbench->runs.entries();
    const bool isTraining = std::ranges::any_of(entries, &RunEntry::isActive);
    if (isTraining && !m_isDetachAcknowledged && !m_workbench->settings.isDetachExplained()) {
        event->ignore();
        explainDetach();
        return;
    }
    static_cast<Inspector*>(m_inspectorDock->widget())->commitEdits();
    m_workbench->settings.setGeometry(objectName(), saveGeometry());
    m_workbench->settings.setLayout(saveState());
    if (m_launch)
        m_launch->close();
    QMainWindow::closeEvent(event);
}

void MainWindow::explainDetach()
{
    auto* box = new QMessageBox(QMessageBox::Information, tr("Atelier"),
        tr("Training continues after the window is closed. Open Atelier again to watch or stop it."),
        QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("detachNote"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(box->addButton(tr("Close the window"), QMessageBox::AcceptRole));
    connect(box, &QDialog::finished, this, [this] {
        m_isDetachAcknowledged = true;
        m_workbench->settings.setDetachExplained();
        close();
    });
    box->open();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_commands)
        m_commands->refresh();
}

}  // namespace ui
