// Opens the real main window on a data home and answers the tests' questions about it.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "tests/ui/support/test_home.h"
#include "ui/main_window.h"

#include <QSize>
#include <QString>

#include <memory>
#include <optional>

class QAction;
class QPushButton;

namespace ui_test {

inline constexpr int kTimeoutMs = 20'000;

/// The visible button with the label @p text; nullptr if there is none.
QPushButton* button(QWidget& parent, const QString& text);
/// The sentence of the view's empty state; empty while the view shows its content.
QString emptySentence(QWidget& parent);
/// The sentence of the view's error strip; empty if none is shown.
QString errorSentence(QWidget& parent);

/// The digits experiment with default options, for fake ranks: these write checkpoints of the default model.
contract::Experiment plainExperiment(int steps);
/// The smallest model that trains, for real ranks: a step takes some milliseconds.
contract::Experiment smallExperiment(int steps);

class OpenWindow {
public:
    /// Shows the window and waits until it is exposed. Prints all database errors.
    /// @param size may be larger than the offscreen platform's screen of 800 × 800 pixels.
    /// @param host the machine of which @p home is a mirror
    explicit OpenWindow(const launcher::DataHome& home, QSize size = QSize(1600, 960), const std::optional<launcher::RemoteHost>& host = {});

    ui::MainWindow* operator->() { return m_window.get(); }
    ui::MainWindow& window() { return *m_window; }
    ui::Workbench& bench() { return m_window->workbench(); }

    QAction* action(const char* id);
    const ui::RunEntry* entry(const QString& id);
    std::optional<launcher::RunState> stateOf(const QString& id);

    /// Starts a run as the launch window does, and waits until the window shows it as running or finished.
    /// @return its id; empty after a timeout.
    QString start(const contract::Experiment& experiment);
    /// Waits until the window shows that state. @return false after a timeout.
    bool becomes(const QString& id, launcher::RunState state);

    /// Describes the first value or record that is in the run's journals but not in the database; empty if there is none and
    /// the journals hold at least @p atLeastValues. Waits until the window's earlier queries are done.
    QString missing(const contract::RunFolder& run, std::size_t atLeastValues);

private:
    std::unique_ptr<ui::MainWindow> m_window;
};

/// Kills all remaining processes of the home's runs with SIGKILL. @return whether all have ended.
bool endRuns(const launcher::DataHome& home);

}  // namespace ui_test
