// The real window on a data home, and what tests ask it.
#pragma once
#include "engine/contract/experiment.h"
#include "tests/ui/support/test_home.h"
#include "ui/main_window.h"

#include <QString>

#include <memory>
#include <optional>

class QAction;
class QPushButton;

namespace ui_test {

inline constexpr int kPatienceMs = 20'000;

/// The visible one with that text; nullptr: none.
QPushButton* button(QWidget& parent, const QString& text);
/// Of the view's empty state; empty: it shows its content.
QString emptySentence(QWidget& parent);
/// Of the view's error strip; empty: there is none.
QString errorSentence(QWidget& parent);

/// Digits with all defaults: for fake ranks, which write checkpoints of the default model.
contract::Experiment plainExperiment(int steps);
/// As small as it trains: a step of real ranks takes some milliseconds.
contract::Experiment smallExperiment(int steps);

class OpenWindow {
public:
    /// Shows it. Everything that goes wrong with the database is printed.
    explicit OpenWindow(const launcher::DataHome& home);

    ui::MainWindow* operator->() { return m_window.get(); }
    ui::MainWindow& window() { return *m_window; }
    ui::Workbench& bench() { return m_window->workbench(); }

    QAction* action(const char* id);
    const ui::RunEntry* entry(const QString& id);
    std::optional<launcher::RunState> stateOf(const QString& id);

    /// Starts a run as the launch window does. @return its id, once the window shows it as running.
    QString start(const contract::Experiment& experiment);
    /// Waits for it.
    bool becomes(const QString& id, launcher::RunState state);

    /// The first number or record that a run's journals hold and the database does not; empty: none. Waits
    /// until what the window has asked of the database so far is done.
    QString missing(const contract::RunFolder& run, std::size_t atLeastValues);

private:
    std::unique_ptr<ui::MainWindow> m_window;
};

/// Ends what is left of a home's runs, with SIGKILL, by the processes' ids. @return whether all are gone.
bool endRuns(const launcher::DataHome& home);

}  // namespace ui_test
