// The window: runs left, views in the middle, inspector right, logs and events below.
#pragma once
#include "ui/workbench.h"

#include <QMainWindow>

#include <memory>

class QDockWidget;
class QMenu;
class QTabWidget;

namespace ui {

class EventsView;
class LaunchWindow;
class LogsDock;
class RunCommands;
class RunsView;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const launcher::DataHome& home);
    ~MainWindow() override;

    Workbench& workbench() { return *m_workbench; }
    RunsView& runsView() { return *m_runsView; }
    LogsDock& logs() { return *m_logs; }
    QTabWidget& tabs() { return *m_tabs; }

    /// The launch window, made when it is first needed; shown and raised.
    LaunchWindow& openLaunchWindow();
    /// Starts a ready experiment as it is: "digits", "emoji".
    void startDemo(const QString& name);
    /// Inspects and draws a run, as soon as it is known.
    void openRun(const QString& runId);

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void setupActions();
    void setupViewActions();
    void setupAppearance(QMenu* menu);
    void setupTabs();
    void setupDocks();
    void setupMenus();
    void setupToolBar();
    void setupStatusBar();
    void connectRuns();
    void restoreLayout();
    QDockWidget* addDock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);
    QAction* action(const char* id) const;
    QStringList selectedRuns() const;
    void firstLoad();
    void say(const QString& sentence);
    void explainDetach();
    void showKeys();
    void showAbout();
    void duplicateRun();

    std::unique_ptr<Workbench> m_workbench;
    RunCommands* m_commands = nullptr;
    RunsView* m_runsView = nullptr;
    LogsDock* m_logs = nullptr;
    QTabWidget* m_tabs = nullptr;
    QDockWidget* m_runsDock = nullptr;
    QDockWidget* m_logsDock = nullptr;
    QDockWidget* m_inspectorDock = nullptr;
    LaunchWindow* m_launch = nullptr;
    QString m_awaitedRun;      ///< to be opened when the table knows it
    bool m_mayClose = false;   ///< "training goes on" has been read
};

}  // namespace ui
