#include "tests/ui/window/open_window.h"

#include "launcher/supervisor/control_client.h"
#include "tests/paths.h"
#include "tests/ui/support/journal_comparison.h"
#include "tests/ui/support/processes.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <filesystem>
#include <signal.h>

namespace ui_test {

using launcher::RunState;

namespace {

void set(contract::Experiment& experiment, std::initializer_list<std::pair<const char*, std::string>> settings)
{
    for (const auto& [key, value] : settings) {
        if (const auto problem = experiment.setText(key, value))
            qFatal("%s", problem->message.c_str());
    }
}

}  // namespace

QPushButton* button(QWidget& parent, const QString& text)
{
    for (QPushButton* candidate : parent.findChildren<QPushButton*>()) {
        if (candidate->text() == text && candidate->isVisible())
            return candidate;
    }
    return nullptr;
}

QString emptySentence(QWidget& parent)
{
    for (const QLabel* const label : parent.findChildren<QLabel*>(QStringLiteral("emptySentence"))) {
        if (label->isVisible())
            return label->text();
    }
    return {};
}

QString errorSentence(QWidget& parent)
{
    auto* strip = parent.findChild<QWidget*>(QStringLiteral("errorStrip"));
    auto* label = strip && strip->isVisible() ? strip->findChild<QLabel*>() : nullptr;
    return label ? label->text() : QString();
}

contract::Experiment plainExperiment(int steps)
{
    contract::Experiment experiment;
    set(experiment, {{"run.name", "small"}, {"run.total_steps", std::to_string(steps)},
                        {"data.path", ATELIER_SOURCE_DIR "/resources/digits.csv.gz"}});
    return experiment;
}

contract::Experiment smallExperiment(int steps)
{
    contract::Experiment experiment = plainExperiment(steps);
    set(experiment, {{"model.width", "16"}, {"model.depth", "1"}, {"model.heads", "2"}, {"batch.micro", "4"},
                        {"engine.compute_dtype", "fp32"}, {"sample.per_label", "1"}, {"sample.steps", "2"},
                        {"sample.judge", "0"}, {"sample.every", "0"}, {"checkpoint.every", "40"},
                        {"validation.every", "0"}, {"launch.timeout", "20"}});
    return experiment;
}

OpenWindow::OpenWindow(const launcher::DataHome& home, QSize size, const std::optional<launcher::RemoteHost>& host)
    : m_window(std::make_unique<ui::MainWindow>(home, host))
{
    const auto print = [](storage::StoreError::Kind, const QString& message) { qInfo("%s", qPrintable(message)); };
    QObject::connect(&bench().store, &ui::StoreService::failed, m_window.get(), print);
    QObject::connect(&bench().watch, &ui::RunWatch::failed, m_window.get(), print);
    m_window->resize(size);
    m_window->show();
    if (!QTest::qWaitForWindowExposed(m_window.get()))
        qFatal("the window was not shown");
}

QAction* OpenWindow::action(const char* id)
{
    return bench().actions.action(QLatin1String(id));
}

const ui::RunEntry* OpenWindow::entry(const QString& id)
{
    return bench().runs.entry(id);
}

std::optional<RunState> OpenWindow::stateOf(const QString& id)
{
    const ui::RunEntry* const known = entry(id);
    return known && known->status ? std::optional(known->status->state) : std::nullopt;
}

QString OpenWindow::start(const contract::Experiment& experiment)
{
    QSignalSpy started(&bench().control, &ui::RunControl::started);
    bench().control.start(experiment);
    if (!started.wait(kTimeoutMs))
        return {};
    const QString id = started.front().front().toString();
    // A short run may have finished before the window first determines its state.
    const auto hasStarted = [&] { return stateOf(id) == RunState::Running || stateOf(id) == RunState::Finished; };
    return QTest::qWaitFor(hasStarted, kTimeoutMs) ? id : QString();
}

bool OpenWindow::becomes(const QString& id, RunState state)
{
    return QTest::qWaitFor([&] { return stateOf(id) == state; }, kTimeoutMs);
}

QString OpenWindow::missing(const contract::RunFolder& run, std::size_t atLeastValues)
{
    std::optional<JournalComparison> found;
    bench().store.query(
        m_window.get(), [run](const storage::Store& store) { return compareWithJournals(store, run); },
        [&](const JournalComparison& comparison) { found = comparison; },
        [&](storage::StoreError::Kind, const QString& message) { found = JournalComparison {0, message}; });
    if (!QTest::qWaitFor([&] { return found.has_value(); }, kTimeoutMs))
        return QStringLiteral("the database did not answer");
    if (found->difference.isEmpty() && found->values < atLeastValues)
        return QStringLiteral("only %1 values are journalled").arg(found->values);
    return found->difference;
}

bool endRuns(const launcher::DataHome& home)
{
    const std::string runs = home.runs().string();
    for (const pid_t process : processes(runs))
        ::kill(process, SIGKILL);
    return QTest::qWaitFor([&] { return processes(runs).empty(); }, kTimeoutMs);
}

}  // namespace ui_test
