// What the window on 10,000 runs takes: sorting and filtering them, memory with 50 lines of 100,000 points drawn, the processor while idle, and the time
// from showing each tab and dock to its first paint.
#include "engine/contract/run/journal_writer.h"
#include "tests/bench/figures.h"
#include "tests/ui/support/test_home.h"
#include "ui/main_window.h"
#include "ui/runs/runs_view.h"

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTimer>
#include <QTreeView>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace {

using namespace std::chrono_literals;

constexpr int kRuns = 10'000, kDrawn = 50, kRepeats = 4;
constexpr std::int64_t kPoints = 100'000;

std::string idOf(int run) { return "run-20261121-" + std::to_string(100'000 + run) + "-aaaa"; }

void writeHome(const ui_test::TestHome& home)
{
    const contract::RunFolder pattern = home.writeRun(idOf(0), 20, "finished");
    for (int run = 1; run < kRuns; ++run)
        std::filesystem::copy(pattern.root(), home.home().runs() / idOf(run), std::filesystem::copy_options::recursive);
    for (int run = 0; run < kDrawn; ++run) {
        const contract::RunFolder folder(home.home().runs() / idOf(run));
        std::filesystem::remove(folder.journal(0));
        contract::JournalWriter writer(folder.journal(0), {.version = 1, .run = folder.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        for (std::int64_t step = 1; step <= kPoints; ++step)
            writer.begin(contract::record::kStep, step).add(contract::metric::kLoss, 1.0 / double(step + run)).commit();
    }
    home.ingest();
}

/// Lets the window work until the processor has had nothing to do for a second.
void settle()
{
    for (;;) {
        const std::clock_t before = std::clock();
        QEventLoop loop;
        QTimer::singleShot(1s, &loop, &QEventLoop::quit);
        loop.exec();
        if (double(std::clock() - before) / CLOCKS_PER_SEC < 0.05)
            return;
    }
}

template <typename Work>
std::vector<double> milliseconds(Work work)
{
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        QElapsedTimer clock;
        clock.start();
        work(repeat);
        times.push_back(double(clock.nsecsElapsed()) / 1e6);
        QCoreApplication::processEvents();
    }
    return times;
}

/// Private and shared memory of this process without files that are only mapped, in MB.
double residentMegabytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:"))
            return std::stod(line.substr(8)) * 1024 / 1e6;
    }
    return 0;
}

double idlePercent()
{
    constexpr auto kTime = 10s;
    const std::clock_t before = std::clock();
    QEventLoop loop;
    QTimer::singleShot(kTime, &loop, &QEventLoop::quit);
    loop.exec();
    return 100 * double(std::clock() - before) / CLOCKS_PER_SEC / double(kTime.count());
}

/// Sees whether a view, or what lies in it, is painted.
class PaintWatch : public QObject {
public:
    explicit PaintWatch(const QWidget& view)
        : m_view(view)
    {
        qApp->installEventFilter(this);
    }
    bool hasPainted() const { return m_hasPainted; }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && (watched == &m_view || m_view.isAncestorOf(qobject_cast<QWidget*>(watched))))
            m_hasPainted = true;
        return false;
    }

private:
    const QWidget& m_view;
    bool m_hasPainted = false;
};

/// From @p show until the event loop has painted @p view.
double paintMilliseconds(const QWidget& view, const std::function<void()>& show)
{
    const PaintWatch watch(view);
    QElapsedTimer clock;
    clock.start();
    show();
    while (!watch.hasPainted())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return double(clock.nsecsElapsed()) / 1e6;
}

using FirstPaints = std::map<std::string, std::vector<double>>;  ///< by the view's title

/// Shows every tab and dock of a window that has just been opened; those that are in sight already are hidden before.
void measureFirstPaints(ui::MainWindow& window, FirstPaints& paints)
{
    QTabWidget& tabs = window.tabs();
    for (int shown = 1; shown <= tabs.count(); ++shown) {
        const int tab = shown % tabs.count();  // the first one is in sight
        paints["tab " + tabs.tabText(tab).toStdString()].push_back(paintMilliseconds(*tabs.widget(tab), [&] { tabs.setCurrentIndex(tab); }));
        settle();
    }
    for (QDockWidget* const dock : window.findChildren<QDockWidget*>()) {
        if (!dock->widget()->visibleRegion().isEmpty())
            dock->hide();
        settle();
        paints["dock " + dock->windowTitle().toStdString()].push_back(paintMilliseconds(*dock->widget(), [&] {
            dock->show();
            dock->raise();
        }));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const ui_test::TestHome home;
    writeHome(home);
    auto window = std::make_unique<ui::MainWindow>(home.home());
    window->resize(1600, 960);
    window->show();
    settle();
    auto* const table = window->runsView().findChild<QTreeView*>();
    auto* const filter = qobject_cast<QSortFilterProxyModel*>(table->model());
    using bench::Better;
    nlohmann::json rows = nlohmann::json::array();
    rows.push_back(bench::row("workbench", "runs-10k", "sort", "ms",
        milliseconds([&](int repeat) { table->sortByColumn(repeat % 3, repeat % 2 ? Qt::DescendingOrder : Qt::AscendingOrder); }), Better::Lower, {50, "limit"}));
    rows.push_back(bench::row("workbench", "runs-10k", "filter", "ms", milliseconds([&](int repeat) {
        const int before = filter->rowCount();
        window->runsView().setFilterText(QStringLiteral("100000").left(repeat + 3));  // fewer runs each time
        while (filter->rowCount() == before)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }), Better::Lower, {50, "limit"}));
    window->runsView().setFilterText({});
    QStringList drawn;
    for (int run = 0; run < kDrawn; ++run)
        drawn << QString::fromStdString(idOf(run));
    window->workbench().selection.setDrawn(drawn, true);
    settle();
    rows.push_back(bench::row("workbench", "runs-10k-drawn-50x100k", "memory", "MB", {residentMegabytes()}, Better::Lower, {250, "limit"}));
    rows.push_back(bench::row("workbench", "idle", "core", "%", {idlePercent()}, Better::Lower, {1, "limit"}));
    window.reset();
    FirstPaints paints;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        ui::MainWindow fresh(home.home());
        fresh.resize(1600, 960);
        fresh.show();
        fresh.workbench().selection.setDrawn(drawn, true);
        settle();
        fresh.openRun(drawn.front());
        settle();
        measureFirstPaints(fresh, paints);
    }
    for (const auto& [view, times] : paints)
        rows.push_back(bench::row("workbench", "first paint, " + view, "shown", "ms", times, Better::Lower, {50, "limit"}));
    std::cout << nlohmann::json {{"rows", rows}}.dump(2) << std::endl;
    return 0;
}
