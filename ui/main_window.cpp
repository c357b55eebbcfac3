#include "ui/main_window.h"

#include "ui/base/icons.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/inspector/events_view.h"
#include "ui/inspector/inspector.h"
#include "ui/launch/launch_window.h"
#include "ui/logs/logs_dock.h"
#include "ui/plot/plots_view.h"
#include "ui/run_commands.h"
#include "ui/runs/runs_view.h"
#include "ui/status_strip.h"
#include "ui/store_messages.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDateTime>
#include <QDockWidget>
#include <QMessageBox>
#include <QScreen>
#include <QStatusBar>
#include <QTabWidget>

#include <algorithm>

namespace ui {

MainWindow::MainWindow(const launcher::DataHome& home)
    : m_workbench(std::make_unique<Workbench>(home))
{
    setWindowTitle(tr("Atelier"));
    setObjectName(QStringLiteral("mainWindow"));
    setDockNestingEnabled(true);
    m_workbench->selection.restoreLooks(m_workbench->settings.looks());
    m_runsView = new RunsView(m_workbench->runs, m_workbench->watch, m_workbench->selection);
    m_commands = new RunCommands(*m_workbench, this, [this] { return selectedRuns(); });
    setupActions();
    setupViewActions();
    setupTabs();
    setupDocks();
    setupMenus();
    setupToolBar();
    setupStatusBar();
    connect(new StoreMessages(*m_workbench, *m_runsView, this), &StoreMessages::said, this, &MainWindow::say);
    connectRuns();
    restoreLayout();
    m_commands->refresh();
}

MainWindow::~MainWindow()
{
    // The views use the workbench to their last moment.
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
    connect(&bench.runs, &RunsModel::ticked, plots, [&bench, plots] {
        std::vector<RunEntry> drawn;
        for (const RunEntry& entry : bench.runs.entries())
            if (bench.selection.isDrawn(entry.id()))
                drawn.push_back(entry);
        plots->setStale(silentRuns(drawn, QDateTime::currentMSecsSinceEpoch()));
    });
    m_tabs->addTab(new GalleryView(bench.store, bench.selection), tr("Samples"));
    auto* checkpoints = new CheckpointsView(bench.store, bench.selection);
    m_tabs->addTab(checkpoints, tr("Checkpoints"));
    connect(checkpoints, &CheckpointsView::resumeRequested, m_commands, &RunCommands::resumeFrom);
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
    m_inspectorDock = addDock(QStringLiteral("inspectorDock"), tr("Inspector"),
        new Inspector(bench.runs, bench.facts, bench.selection), Qt::RightDockWidgetArea);
    m_logs = new LogsDock(bench.runs, bench.selection);
    m_logsDock = addDock(QStringLiteral("logsDock"), tr("Logs"), m_logs, Qt::BottomDockWidgetArea);
    auto* events = addDock(
        QStringLiteral("eventsDock"), tr("Events"), new EventsView(bench.facts), Qt::BottomDockWidgetArea);
    tabifyDockWidget(m_logsDock, events);
    m_logsDock->raise();
}

void MainWindow::setupStatusBar()
{
    statusBar()->addPermanentWidget(
        new StatusStrip(m_workbench->runs, m_workbench->home.data, statusBar()));
    statusBar()->setAccessibleName(tr("Status"));
    connect(m_commands, &RunCommands::said, this, &MainWindow::say);
}

void MainWindow::say(const QString& sentence)
{
    constexpr int kShownMs = 15'000;
    statusBar()->showMessage(sentence, kShownMs);
}

void MainWindow::connectRuns()
{
    Workbench& bench = *m_workbench;
    connect(m_runsView, &RunsView::selectionChanged, m_commands, &RunCommands::refresh);
    connect(&bench.selection, &Selection::inspectedChanged, m_commands, [this](const QString& id) {
        m_commands->refresh();
        const RunEntry* const entry = m_workbench->runs.entry(id);
        setWindowTitle(entry ? tr("%1 – Atelier").arg(entry->name()) : tr("Atelier"));
    });
    connect(&bench.selection, &Selection::drawnChanged, this,
        [this] { m_workbench->settings.setLooks(m_workbench->selection.looks()); });
    connect(&bench.watch, &RunWatch::loaded, this, &MainWindow::firstLoad);
    connect(&bench.runs, &RunsModel::runsChanged, this, [this] {
        if (!m_awaitedRun.isEmpty() && m_workbench->runs.entry(m_awaitedRun))
            openRun(std::exchange(m_awaitedRun, {}));
        firstLoad();
    });
    connect(&bench.control, &RunControl::started, this, [this](const QString& id, const QString& folder) {
        m_workbench->store.catchUp(folder);
        openRun(id);
    });
    connect(&bench.control, &RunControl::startFailed, this, &MainWindow::say);
    m_runsView->setEmptyActions({{tr("New experiment"), [this] { openLaunchWindow(); }},
        {tr("Run the digits demo"), [this] { startDemo(QStringLiteral("digits")); }},
        {tr("Run the emoji demo"), [this] { startDemo(QStringLiteral("emoji")); }}});
}

// Someone who opens the window wants to see something: the newest run, unless told otherwise. The index
// may still be empty when it is read for the first time, and fill as the run folders are caught up with.
void MainWindow::firstLoad()
{
    const auto& entries = m_workbench->runs.entries();
    if (entries.empty() || !m_awaitedRun.isEmpty() || !m_workbench->selection.inspected().isEmpty())
        return;
    const auto newest = std::ranges::max_element(
        entries, {}, [](const RunEntry& entry) { return entry.row.createdUnixMs; });
    openRun(newest->id());
}

void MainWindow::openRun(const QString& runId)
{
    if (!m_workbench->runs.entry(runId)) {
        m_awaitedRun = runId;
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
        say(QString::fromStdString(loaded.problems.front().message));
        return;
    }
    say(tr("Starting the %1 demo…").arg(name));
    m_workbench->control.start(loaded.experiment);
}

void MainWindow::restoreLayout()
{
    resize(QSize(1600, 960).boundedTo(screen()->availableSize()));
    restoreGeometry(m_workbench->settings.geometry(objectName()));
    const QByteArray layout = m_workbench->settings.layout();
    if (layout.isEmpty() || !restoreState(layout)) {
        const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
        resizeDocks({m_runsDock, m_inspectorDock}, {53 * digit, 39 * digit}, Qt::Horizontal);
        resizeDocks({m_logsDock}, {fontMetrics().height() * 13}, Qt::Vertical);
    }
    m_runsView->restoreHeader(m_workbench->settings.header(QStringLiteral("runs")));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const auto& entries = m_workbench->runs.entries();
    const bool isTraining = std::ranges::any_of(entries, &RunEntry::isActive);
    if (isTraining && !m_mayClose && !m_workbench->settings.isDetachExplained()) {
        event->ignore();
        explainDetach();
        return;
    }
    m_workbench->settings.setGeometry(objectName(), saveGeometry());
    m_workbench->settings.setLayout(saveState());
    m_workbench->settings.setHeader(QStringLiteral("runs"), m_runsView->headerState());
    if (m_launch)
        m_launch->close();
    QMainWindow::closeEvent(event);
}

void MainWindow::explainDetach()
{
    auto* box = new QMessageBox(QMessageBox::Information, tr("Atelier"),
        tr("Training goes on without the window. Open Atelier again to watch or stop it."),
        QMessageBox::NoButton, this);
    box->setObjectName(QStringLiteral("detachNote"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(box->addButton(tr("Close the window"), QMessageBox::AcceptRole));
    connect(box, &QDialog::finished, this, [this] {
        m_mayClose = true;
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
