#include "ui/main_window.h"

#include "ui/access/elided_tips.h"
#include "ui/access/focus_edge.h"
#include "ui/base/background.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/window_size.h"
#include "ui/compare/compare_view.h"
#include "ui/dock_widths.h"
#include "ui/inspector/inspector.h"
#include "ui/language/outside_text.h"
#include "ui/launch/launch_window.h"
#include "ui/manual/manual_page.h"
#include "ui/manual/manual_window.h"
#include "ui/palette/keys_dialog.h"
#include "ui/plot/plot_actions.h"
#include "ui/plot/plots_view.h"
#include "ui/run_commands.h"
#include "ui/runs/runs_view.h"
#include "ui/shown_runs.h"
#include "ui/status_strip.h"
#include "ui/store_messages.h"
#include "ui/undo_actions.h"
#include "ui/views_menu.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMessageBox>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>

#include <algorithm>
#include <chrono>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kLayoutPause = 1s;

bool isBehindAnotherDock(const QWidget& widget)
{
    for (const QWidget* parent = &widget; parent && !parent->isWindow(); parent = parent->parentWidget()) {
        if (qobject_cast<const QDockWidget*>(parent) && parent->visibleRegion().isEmpty())
            return true;
    }
    return false;
}

}  // namespace

MainWindow::MainWindow(const launcher::DataHome& home, const std::optional<launcher::RemoteHost>& host)
    : m_workbench(std::make_unique<Workbench>(home, host))
{
    showTitle();
    setObjectName(QStringLiteral("mainWindow"));
    qApp->installEventFilter(new PlainLabels(this));
    new FocusEdges(this);
    qApp->installEventFilter(new ElidedTips(this));
    setDockNestingEnabled(true);
    m_shownRuns = new ShownRuns(*m_workbench, this);
    m_runsView = new RunsView(m_workbench->runs, m_workbench->watch, m_workbench->fields, m_workbench->selection);
    m_workbench->actions.addPlace({QStringLiteral("runs"), tr("Runs"), {}}, m_runsView);
    m_commands = new RunCommands(*m_workbench, this, [this] { return selectedRuns(); });
    setupActions();
    setupViewActions();
    setupLaunchActions();
    setupTabs();
    setupDocks();
    registerDocks();
    declareKeys();
    setupUndo();
    setupMenus();
    setupToolBar();
    setupStatusBar();
    setupRemote();
    auto* const messages = new StoreMessages(*m_workbench, *m_runsView, m_remote, this);
    connect(messages, &StoreMessages::statusMessage, this, &MainWindow::showStatus);
    connect(messages, &StoreMessages::runsKnown, statusBar()->findChild<StatusStrip*>(), &StatusStrip::setRunsKnown);
    connectRuns();
    restoreLayout();
    applyOwnKeys(m_workbench->actions, m_workbench->settings);
    m_commands->refresh();
}

MainWindow::~MainWindow()
{
    // The views refer to the workbench until they are destroyed, so they must be deleted before it.
    delete m_launch;
    qDeleteAll(m_queuedEdits.values());
    delete m_undo;
    delete m_plotActions;
    delete m_view;
    delete takeCentralWidget();
    qDeleteAll(findChildren<QDockWidget*>());
}

void MainWindow::setupUndo()
{
    m_view = new ViewKeeper(*m_workbench, *m_shownRuns, *m_runsView, *m_plots, *this, *m_tabs);
    connect(m_view, &ViewKeeper::statusMessage, this, &MainWindow::showStatus);
    connect(m_view, &ViewKeeper::docksRestored, this, [this] { m_dockWidths->takeAll(); });
    m_undo = new UndoActions(m_workbench->actions, *m_commands, *m_view, *m_checkpoints, *m_runsDock,
        {m_plots, m_tabs->findChild<CompareView*>(), findChild<QDockWidget*>(QStringLiteral("metricsDock"))}, this);
    m_views = new ViewsMenu(m_workbench->home, *m_view, this);
    m_workbench->actions.addTo(*this, {"view.save", tr("Save this &view…"), "save", {}, tr("Keep what is drawn, and how, under a name"), {}},
        [this] { m_views->save(); }, Qt::WindowShortcut);
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
    connect(m_shownRuns, &ShownRuns::opened, m_runsView, &RunsView::select);
    connect(&bench.control, &RunControl::started, this, [this](const QString& id, const QString& folder) {
        if (!m_workbench->mirror)  // else its files are still to come
            m_workbench->store.catchUp(folder);
        openRun(id);
    });
    connect(&bench.control, &RunControl::queued, this, [this](const QString& id, const QString& folder) {
        if (!m_workbench->mirror)
            m_workbench->store.catchUp(folder);
        m_workbench->watch.refreshStatus(id);
        openRun(id);
        showStatus(tr("Added to the queue."));
    });
    connect(&bench.control, &RunControl::edited, this, [this](const QString& id, const QString& folder) {
        if (!m_workbench->mirror)
            m_workbench->store.catchUp(folder);
        showStatus(tr("%1 was changed in the queue.").arg(id));
    });
    connect(&bench.control, &RunControl::editRefused, this, [this](const QString&, const QString& message) { showStatus(message); });
    connect(&bench.control, &RunControl::startFailed, this, &MainWindow::showStatus);
    m_runsView->setEmptyActions(firstSteps());
    m_runsView->setArchivedAction(action("view.archived"));
    connect(&bench.watch, &RunWatch::loaded, this, &MainWindow::offerNextSteps);
    connect(&bench.runs, &RunsModel::runsChanged, this, &MainWindow::offerNextSteps);
    offerNextSteps();
}

void MainWindow::showTitle()
{
    const RunEntry* const entry = m_workbench->runs.entry(m_workbench->selection.inspected());
    QStringList parts = {tr("Atelier")};
    if (m_workbench->mirror)
        parts.prepend(plainTitle(QString::fromStdString(m_workbench->mirror->host().text())));
    if (entry)
        parts.prepend(plainTitle(entry->name()));
    setWindowTitle(parts.join(QStringLiteral(" – ")));
}

/// What to do while there are no runs.
QList<ViewAction> MainWindow::firstSteps()
{
    if (m_workbench->mirror)
        return {{tr("New experiment"), [this] { openLaunchWindow(); }}};
    return {{tr("New experiment"), [this] { openLaunchWindow(); }},
        {tr("Run the digits demo"), [this] { startDemo(QStringLiteral("digits")); }},
        {tr("Run the emoji demo"), [this] { startDemo(QStringLiteral("emoji")); }}, {tr("Import runs…"), [this] { importRuns(); }}};
}

void MainWindow::openRun(const QString& runId)
{
    m_shownRuns->open(runId);
}

QStringList MainWindow::selectedRuns() const
{
    const QStringList selected = m_runsView->selectedRuns();
    const QString& inspected = m_workbench->selection.inspected();
    return selected.isEmpty() && !inspected.isEmpty() ? QStringList(inspected) : selected;
}

void MainWindow::openManual()
{
    const QWidget* focused = QApplication::focusWidget();
    if (!focused || focused == this || m_tabs->tabBar()->hasFocus())
        focused = m_tabs->currentWidget();
    if (!m_manual)
        m_manual = std::make_unique<ManualWindow>();
    m_manual->open(manualPageOf(focused));
}

void MainWindow::startDemo(const QString& name)
{
    const auto file = launcher::resourcesFolder() / "experiments" / (name.toStdString() + ".toml");
    if (m_workbench->mirror)
        return openLaunchWindow().loadReady(name);  // its paths are to be that machine's
    inBackground(this, [file] { return contract::loadExperiment(file); }, [this, name](const contract::ParsedExperiment& loaded) {
        if (!loaded.problems.empty())
            return showStatus(translatedSentence(loaded.problems.front().message));
        showStatus(tr("Starting the %1 demo…").arg(name));
        m_workbench->control.start(loaded.experiment);
    });
}

void MainWindow::restoreLayout()
{
    resize(sizeOnScreen(*this, QSize(1600, 960)));
    restoreOnScreen(*this, m_workbench->settings.geometry(objectName()));
    const QByteArray layout = m_workbench->settings.layout();
    m_isFirstLayout = layout.isEmpty() || !restoreState(layout);
    m_dockWidths = new DockWidths(*this, m_workbench->settings);
    const QString tab = QStringLiteral("tab");
    m_tabs->setCurrentIndex(m_workbench->settings.viewState(tab).toInt());
    connect(m_tabs, &QTabWidget::currentChanged, this,
        [this, tab](int index) { m_workbench->settings.setViewState(tab, QByteArray::number(index)); });
    m_layoutTimer.setSingleShot(true);
    m_layoutTimer.setInterval(kLayoutPause);
    connect(&m_layoutTimer, &QTimer::timeout, this, &MainWindow::storeLayout);
    for (QDockWidget* const dock : findChildren<QDockWidget*>()) {
        dock->installEventFilter(this);
        connect(dock, &QDockWidget::dockLocationChanged, &m_layoutTimer, qOverload<>(&QTimer::start));
        connect(dock, &QDockWidget::topLevelChanged, &m_layoutTimer, qOverload<>(&QTimer::start));
        connect(dock, &QDockWidget::visibilityChanged, &m_layoutTimer, qOverload<>(&QTimer::start));
    }
}

/// The edges between docks are dragged.
bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        m_layoutTimer.start();
    return QMainWindow::eventFilter(watched, event);
}

/// As Qt does, but past docks that lie behind another one's tab: Qt takes them for visible.
bool MainWindow::focusNextPrevChild(bool isNext)
{
    QWidget* const from = focusWidget() ? focusWidget() : this;
    const auto takesTab = [this](const QWidget& widget) {
        return (widget.focusPolicy() & Qt::TabFocus) && !widget.focusProxy() && widget.isEnabled() && widget.isVisibleTo(this) && !isBehindAnotherDock(widget);
    };
    for (QWidget* to = from;;) {
        to = isNext ? to->nextInFocusChain() : to->previousInFocusChain();
        if (to == from)
            return false;
        if (takesTab(*to)) {
            to->setFocus(isNext ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return true;
        }
    }
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (std::exchange(m_isFirstLayout, false))
        arrangeDocks();
    else if (!m_dockWidths->areKnown())
        m_dockWidths->takeAll();
}

void MainWindow::arrangeDocks()
{
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const int runsWidth = 60 * digit;
    const int inspectorWidth = 39 * digit;
    // Where the plots would have no room beside both docks, the inspector and what shares its place are tabs behind the runs.
    constexpr int kPlotsWidth = 480;
    if (width() < runsWidth + kPlotsWidth + inspectorWidth) {
        for (QDockWidget* const dock : QList {m_inspectorDock} + tabifiedDockWidgets(m_inspectorDock))
            tabifyDockWidget(m_runsDock, dock);
        m_runsDock->raise();
        resizeDocks({m_runsDock}, {runsWidth}, Qt::Horizontal);
        m_dockWidths->set(runsWidth, 0);
    } else {
        resizeDocks({m_runsDock, m_inspectorDock}, {runsWidth, inspectorWidth}, Qt::Horizontal);
        m_dockWidths->set(runsWidth, inspectorWidth);
    }
    resizeDocks({m_logsDock}, {std::min(fontMetrics().height() * 13, height() / 4)}, Qt::Vertical);
}

/// Also while the window is open, so that a kill does not cost the arrangement.
void MainWindow::storeLayout()
{
    if (m_isFirstLayout || !isVisible())
        return;
    m_workbench->settings.setGeometry(objectName(), saveGeometry());
    m_workbench->settings.setLayout(saveState());
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_layoutTimer.start();
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
    storeLayout();
    if (m_launch)
        m_launch->close();
    for (LaunchWindow* window : m_queuedEdits.values())
        window->close();
    if (m_manual)
        m_manual->close();
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
    box->addButton(QMessageBox::Cancel);
    connect(box, &QDialog::accepted, this, [this] {
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
