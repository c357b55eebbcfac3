// The main window: runs on the left, views in the middle, inspector on the right, logs and events below.
#pragma once
#include "ui/base/state_strip.h"
#include "ui/workbench.h"

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>

class QDockWidget;
class QMenu;
class QTabWidget;
class QToolBar;

namespace ui {

class AlertsModel;
class CheckpointsView;
class DockWidths;
struct DraftOrigin;
class EventsView;
struct FindHere;
struct FoundText;
class GalleryView;
class GpuWatch;
class Inspector;
class KeysDialog;
class LaunchWindow;
class LogsDock;
class ManualWindow;
class Palette;
class PlotActions;
class PlotsView;
struct PaletteEntry;
class RunCommands;
class RemoteWatch;
class RunsView;
class ShownRuns;
class UndoActions;
class ViewKeeper;
class ViewsMenu;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// @param host the machine whose runs the window shows; @p home is then its mirror
    explicit MainWindow(const launcher::DataHome& home, const std::optional<launcher::RemoteHost>& host = {});
    ~MainWindow() override;

    Workbench& workbench() { return *m_workbench; }
    RunsView& runsView() { return *m_runsView; }
    LogsDock& logs() { return *m_logs; }
    ViewKeeper& view() { return *m_view; }
    QTabWidget& tabs() { return *m_tabs; }

    /// Shows and raises the launch window; creates it on the first call.
    LaunchWindow& openLaunchWindow();
    /// Starts the installed experiment @p name ("digits", "emoji") unchanged.
    void startDemo(const QString& name);
    /// Takes all alerts that are listed as read.
    void markAlertsRead();
    /// Selects a run for the inspector and draws it. If the runs table does not have it yet, this happens once it does.
    void openRun(const QString& runId);
    /// Brings in the packed run in @p file, and opens it.
    void unpackRun(const QString& file);

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool isNext) override;
    void changeEvent(QEvent* event) override;

private:
    /// Of what is no view with actions of its own.
    void declareKeys();
    void setupActions();
    void setupViewActions();
    void registerDocks();
    void setupAppearance(QMenu* menu);
    void setupLanguage(QMenu* menu);
    void registerChoice(const QString& id, const QString& title, const QString& help, QAction& choice);
    void setupTabs();
    void setupDocks();
    void setupMetricsDock();
    void setupUndo();
    void setupMenus();
    void setupToolBar();
    void setupStopButton(QToolBar* bar);
    void setupGpuBars(QToolBar* bar);
    void setupStatusBar();
    void connectRuns();
    void restoreLayout();
    void storeLayout();
    void arrangeDocks();
    QList<ViewAction> firstSteps();
    /// Tells the views of drawn runs what they may offer while none is drawn.
    void offerNextSteps();
    QDockWidget* addDock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);
    QAction* action(const char* id) const;
    QStringList selectedRuns() const;
    void showTitle();
    void showStatus(const QString& sentence);
    void explainDetach();
    void showKeys();
    QWidget* windowInUse();
    void openPalette();
    /// @param below the window that the palette was opened in
    void goTo(const PaletteEntry& entry, QWidget* below);
    void doAction(const QString& id);
    void showView(QWidget& view);
    void drawMetric(const QString& metric);
    void showAbout();
    void openManual();
    /// Moves the focus to the next part of the window that is visible, or with -1 to the one before.
    void focusPane(int direction);
    /// Opens a launch window on the experiment of a run that waits in the queue.
    void editQueued(const QString& id);
    LaunchWindow* makeLaunchWindow(const std::optional<DraftOrigin>& queued);
    void setupLaunchActions();
    void refreshLaunchActions();
    QList<LaunchWindow*> launchWindows() const;
    LaunchWindow* activeLaunchWindow() const;  ///< or else one that is open; null: none is
    FindHere findHere() const;
    void duplicateRun();
    void importRuns();
    void openDisk();
    void openSearch();
    void openAlerts();
    void packRun();
    void chooseArchive();
    void showFound(const FoundText& found);
    void openDebugPackage();
    void openMachine();
    /// Of a window on another machine.
    void setupRemote();
    void sayWhatIsMissing();

    std::unique_ptr<Workbench> m_workbench;
    QTimer m_layoutTimer;  ///< since the arrangement has changed
    DockWidths* m_dockWidths = nullptr;
    ShownRuns* m_shownRuns = nullptr;
    RunCommands* m_commands = nullptr;
    RunsView* m_runsView = nullptr;
    RemoteWatch* m_remote = nullptr;  ///< null in a window on this machine's own runs
    PlotsView* m_plots = nullptr;
    PlotActions* m_plotActions = nullptr;
    GalleryView* m_gallery = nullptr;
    CheckpointsView* m_checkpoints = nullptr;
    ViewKeeper* m_view = nullptr;
    UndoActions* m_undo = nullptr;
    ViewsMenu* m_views = nullptr;
    AlertsModel* m_alerts = nullptr;
    GpuWatch* m_gpus = nullptr;
    LogsDock* m_logs = nullptr;
    Inspector* m_inspector = nullptr;
    QTabWidget* m_tabs = nullptr;
    QDockWidget* m_runsDock = nullptr;
    QDockWidget* m_logsDock = nullptr;
    QDockWidget* m_systemDock = nullptr;
    QDockWidget* m_inspectorDock = nullptr;
    LaunchWindow* m_launch = nullptr;
    QPointer<Palette> m_palette;  ///< while it is open, over whichever window
    QPointer<KeysDialog> m_keys;  ///< the same
    QHash<QString, LaunchWindow*> m_queuedEdits;  ///< those of runs in the queue, by the run's id
    std::unique_ptr<ManualWindow> m_manual;
    bool m_isFirstLayout = false;         ///< no layout of an earlier session was restored
    bool m_isDetachAcknowledged = false;  ///< the user has closed the note that training continues
};

}  // namespace ui
