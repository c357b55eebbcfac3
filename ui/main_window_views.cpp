// The main window's tabs, docks and status bar.
#include "ui/base/kept_controls.h"
#include "ui/access/find_here.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/compare/compare_view.h"
#include "ui/data/data_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/gallery/kept_place.h"
#include "ui/gallery/thumbnail.h"
#include "ui/inspector/events_view.h"
#include "ui/inspector/inspector.h"
#include "ui/logs/logs_dock.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"
#include "ui/notify/late_notices.h"
#include "ui/notify/notifications.h"
#include "ui/one_cursor.h"
#include "ui/plot/layout/metric_browser.h"
#include "ui/plot/plot_actions.h"
#include "ui/plot/plots_view.h"
#include "ui/queue/queue_view.h"
#include "ui/run_commands.h"
#include "ui/run_pulse.h"
#include "ui/runs/runs_view.h"
#include "ui/status_strip.h"
#include "ui/steps/steps_view.h"
#include "ui/system/system_view.h"

#include <QApplication>
#include <QDateTime>
#include <QDockWidget>
#include <QStatusBar>
#include <QTabWidget>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace ui {
namespace {

/// Keeps how the plots of the machine look, but not the visible range, which is about one run.
void keepSystemChoices(Settings& settings, PlotViewState& viewState)
{
    const QString name = QStringLiteral("system");
    if (const QByteArray kept = settings.viewState(name); !kept.isEmpty())
        viewState.setChoices(plotChoicesFromJson(kept));
    const auto keep = [&settings, &viewState, name] {
        PlotChoices choices = viewState.choices();
        choices.place = {};
        settings.setViewState(name, toJson(choices));
    };
    QObject::connect(&viewState, &PlotViewState::settingsChanged, &settings, keep);
    QObject::connect(&viewState, &PlotViewState::smoothingChanged, &settings, keep);
}

/// Moves the focus to what had it last in @p pane, or to the first widget that takes it. @return false: there is none
bool focusIn(const QWidget& pane)
{
    QWidget* target = pane.focusWidget();
    for (QWidget* child : pane.findChildren<QWidget*>()) {
        if (target)
            break;
        if (child->isVisible() && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus))
            target = child;
    }
    if (!target || !target->isVisible())
        return false;
    target->setFocus(Qt::ShortcutFocusReason);
    return true;
}

}  // namespace

void MainWindow::setupTabs()
{
    Workbench& bench = *m_workbench;
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Views"));
    auto* plots = m_plots = new PlotsView(bench.store, bench.selection);
    m_tabs->addTab(plots, tr("Plots"));
    connect(plots, &PlotsView::statusMessage, this, &MainWindow::showStatus);
    connect(plots, &PlotsView::lineRequested, this, [this](const QStringList& runs) { m_commands->chooseLine(runs); });
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
        plots->setEnded(std::ranges::all_of(drawn, &RunEntry::hasEnded));
    });
    keepThumbnailsIn(bench.home.cache / "thumbnails");
    m_gallery = new GalleryView(bench.store, bench.selection, bench.actions);
    m_tabs->addTab(m_gallery, tr("Samples"));
    new KeptPlace(bench.settings, m_gallery->grid(), m_gallery);
    auto* checkpoints = m_checkpoints = new CheckpointsView(bench.store, bench.selection, bench.actions);
    m_tabs->addTab(checkpoints, tr("Checkpoints"));
    connect(checkpoints, &CheckpointsView::resumeRequested, m_commands, &RunCommands::resumeFrom);
    QAction* const resume = bench.actions.action(QStringLiteral("run.resume"));
    connect(resume, &QAction::changed, checkpoints, [&actions = bench.actions, checkpoints] {
        checkpoints->setResumeRefusal(actions.reason(QStringLiteral("run.resume")));
    });
    connect(&bench.trash, &TrashWatch::changed, checkpoints, [&bench, checkpoints] { checkpoints->setTrash(bench.trash.items()); });
    auto* compare = new CompareView(bench.store, bench.selection, bench.actions);
    m_tabs->addTab(compare, tr("Compare"));
    m_tabs->addTab(new DataView(bench.store, bench.selection, bench.actions), tr("Data"));
    const std::initializer_list<const char*> pages = {"plots", "samples", "checkpoints", "compare", "data"};
    for (int tab = 0; tab < m_tabs->count(); ++tab) {
        const QString page = QLatin1String(pages.begin()[tab]);
        setManualPage(*m_tabs->widget(tab), page);
        new KeptControls(bench.settings, page, *m_tabs->widget(tab));
    }
    setCentralWidget(m_tabs);
}

void MainWindow::offerNextSteps()
{
    const auto draw = [this](const QString& text, std::size_t count) -> QList<ViewAction> {
        const std::vector<RunEntry>& runs = m_workbench->runs.entries();
        if (runs.size() < count)
            return firstSteps();
        const auto drawNewest = [this, count] {
            std::vector<const RunEntry*> newest;
            for (const RunEntry& run : m_workbench->runs.entries())
                newest.push_back(&run);
            std::ranges::sort(newest, std::ranges::greater(), [](const RunEntry* run) { return run->row.createdUnixMs; });
            newest.resize(std::min(count, newest.size()));
            QStringList ids;
            for (const RunEntry* const run : newest)
                ids << run->id();
            m_workbench->selection.setDrawn(ids, true);
        };
        return {{text, drawNewest}};
    };
    m_plots->setEmptyActions(draw(tr("Draw the newest run"), 1));
    findChild<MetricBrowser*>()->setEmptyActions(draw(tr("Draw the newest run"), 1));
    m_tabs->findChild<CompareView*>()->setEmptyActions(draw(tr("Draw the two newest runs"), 2));
}

void MainWindow::focusPane(int direction)
{
    QList<QWidget*> panes = {m_tabs};
    for (QDockWidget* dock : findChildren<QDockWidget*>()) {
        if (dock->isVisible() && !dock->visibleRegion().isEmpty())  // not behind another tab
            panes << dock;
    }
    // As they are read: from left to right, then downwards.
    std::ranges::sort(panes, {}, [this](const QWidget* pane) {
        const QPoint place = pane->mapTo(this, QPoint());
        return std::pair(place.x(), place.y());
    });
    const QWidget* const focused = QApplication::focusWidget();
    qsizetype place = 0;
    while (place < panes.size() && !panes[place]->isAncestorOf(focused))
        ++place;
    for (qsizetype step = 1; step <= panes.size(); ++step) {
        const qsizetype next = place == panes.size() ? step - 1 : (place + direction * step + panes.size() * step) % panes.size();
        if (focusIn(*panes[next]))
            return;
    }
}

QDockWidget* MainWindow::addDock(
    const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    content->setAccessibleName(title);
    const QString own = QString(name).remove(QLatin1String("Dock"));
    setManualPage(*dock, own == QLatin1String("events") ? QStringLiteral("logs") : own == QLatin1String("metrics") ? QStringLiteral("plots") : own);
    addDockWidget(area, dock);
    new KeptControls(m_workbench->settings, own, *content);
    return dock;
}

void MainWindow::setupDocks()
{
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    Workbench& bench = *m_workbench;
    m_runsDock = addDock(QStringLiteral("runsDock"), tr("Runs"), m_runsView, Qt::LeftDockWidgetArea);
    Inspector* const inspector = m_inspector = new Inspector(bench.runs, bench.facts, bench.selection, bench.actions);
    m_inspectorDock = addDock(QStringLiteral("inspectorDock"), tr("Inspector"), inspector, Qt::RightDockWidgetArea);
    connect(inspector, &Inspector::resumeRequested, m_commands, &RunCommands::resumeLatest);
    connect(inspector, &Inspector::failureRequested, m_commands, &RunCommands::showFailure);
    connect(inspector, &Inspector::edited, m_commands,
        [this](const QString& what, const QString& folder, const RunEdits::Change& change) { m_commands->edit(what, {folder}, change); });
    // In the inspector, F2 edits the name that the user looks at.
    m_commands->setRenameInPlace([inspector] {
        if (!inspector->isAncestorOf(QApplication::focusWidget()))
            return false;
        inspector->editName();
        return true;
    });
    setupMetricsDock();
    m_logs = new LogsDock(bench.runs, bench.selection, bench.actions);
    m_logsDock = addDock(QStringLiteral("logsDock"), tr("Logs"), m_logs, Qt::BottomDockWidgetArea);
    auto* events = addDock(
        QStringLiteral("eventsDock"), tr("Events"), new EventsView(bench.facts), Qt::BottomDockWidgetArea);
    tabifyDockWidget(m_logsDock, events);
    auto* system = new SystemView(bench.store, bench.selection);
    connect(system, &SystemView::statusMessage, this, &MainWindow::showStatus);
    keepSystemChoices(bench.settings, system->viewState());
    m_systemDock = addDock(QStringLiteral("systemDock"), tr("System"), system, Qt::BottomDockWidgetArea);
    tabifyDockWidget(events, m_systemDock);
    auto* steps = new StepsView(bench.store, bench.selection, bench.actions);
    new OneCursor({*m_plots, *system, *steps, *m_logs, *m_gallery, *m_checkpoints}, bench.selection, this);
    tabifyDockWidget(events, addDock(QStringLiteral("stepsDock"), tr("Steps"), steps, Qt::BottomDockWidgetArea));
    auto* queue = new QueueView(bench.queue, bench.runs, bench.actions);
    connect(queue, &QueueView::runChosen, this, &MainWindow::openRun);
    connect(queue, &QueueView::editRequested, this, &MainWindow::editQueued);
    connect(queue, &QueueView::statusMessage, this, &MainWindow::showStatus);
    tabifyDockWidget(events, addDock(QStringLiteral("queueDock"), tr("Queue"), queue, Qt::BottomDockWidgetArea));
    m_logsDock->raise();
    m_plotActions = new PlotActions(bench.actions, *m_plots, {&system->viewState()}, this);
    auto* const pulse = new RunPulse(bench, this);
    pulse->addControlled(*m_gallery, "run.sample");
    pulse->addControlled(*m_checkpoints, "run.checkpoint");
    pulse->addControlled(*inspector);
    for (const QWidget* const view : std::initializer_list<const QWidget*> {m_logs, system, steps, events, m_tabs->widget(m_tabs->count() - 1)})
        pulse->add(*view);
}

/// An action for each dock that shows it and moves the focus there; the runs and the metrics have others.
void MainWindow::registerDocks()
{
    for (QDockWidget* const dock : findChildren<QDockWidget*>()) {
        if (dock == m_runsDock || dock->objectName() == QLatin1String("metricsDock"))
            continue;
        const QString id = QStringLiteral("view.") + dock->objectName();
        m_workbench->actions.addTo(*this, {id, dock->windowTitle(), {}, {}, tr("Show the dock and go there"), {}}, [this, dock] {
            showView(*dock->widget());
            focusIn(*dock);
        }, Qt::WindowShortcut);
    }
}

void MainWindow::setupMetricsDock()
{
    auto* browser = new MetricBrowser;
    browser->registerActions(m_workbench->actions);
    QDockWidget* const dock = addDock(QStringLiteral("metricsDock"), tr("Metrics"), browser, Qt::RightDockWidgetArea);
    tabifyDockWidget(m_inspectorDock, dock);
    m_inspectorDock->raise();
    connect(dock, &QDockWidget::visibilityChanged, m_plots, &PlotsView::setMetricsShown);
    connect(m_plots, &PlotsView::metricsListed, browser, &MetricBrowser::setMetrics);
    connect(m_plots, &PlotsView::plotsListed, browser, &MetricBrowser::setPlots);
    connect(browser, &MetricBrowser::addRequested, m_plots, &PlotsView::joinMetrics);
    connect(browser, &MetricBrowser::metricsChosen, m_plots, &PlotsView::chooseMetrics);
    connect(browser, &MetricBrowser::defaultMetricsRequested, m_plots, [this] { m_plots->chooseMetrics({}); });
    const QKeySequence key(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
    QAction* const find = m_workbench->actions.add({"view.metrics", tr("Find metrics"), "search", key,
                                                       tr("Find metrics of the drawn runs and choose which have a plot"), {}},
        [this, dock, browser] {
            m_tabs->setCurrentWidget(m_plots);
            dock->show();
            dock->raise();
            browser->focusSearch();
        });
    connect(m_plots, &PlotsView::metricsRequested, find, &QAction::trigger);
    setFindHere(*m_plots, {[find] { find->trigger(); }, [find](int) { find->trigger(); }});
}

void MainWindow::setupStatusBar()
{
    auto* strip = new StatusStrip(m_workbench->runs, m_workbench->home, statusBar());
    statusBar()->addPermanentWidget(strip);
    auto* notifications = new Notifications(m_workbench->runs, m_workbench->settings, *this);
    new LateNotices(m_workbench->runs, m_workbench->home, this);
    connect(strip, &StatusStrip::freeSpaceRead, &notifications->alerts(), &RunAlerts::setFreeSpace);
    connect(&m_workbench->queue, &QueueWatch::changed, notifications, [this, notifications] {
        if (const QueueState& state = m_workbench->queue.state(); state.problem.isEmpty())
            notifications->alerts().setQueue(state.queue);
    });
    connect(notifications, &Notifications::runChosen, this, &MainWindow::openRun);
    statusBar()->setAccessibleName(tr("Status"));
    connect(m_commands, &RunCommands::statusMessage, this, &MainWindow::showStatus);
}

}  // namespace ui
