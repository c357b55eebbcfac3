// What the window does about a live run of 8 ranks at 10 records a second: how long after a rank wrote a step its loss is painted, and the
// processor's share that the window takes. The supervisor and the window are real; the ranks journal as the engine's do, without training.
#include "engine/contract/run/journal_parser.h"
#include "tests/bench/figures.h"
#include "tests/paths.h"
#include "tests/ui/window/open_window.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"

#include <QApplication>
#include <QEventLoop>
#include <QPointer>
#include <QTest>
#include <QTimer>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>

namespace {

using namespace std::chrono_literals;

constexpr int kRanks = 8, kRepeats = 5;
constexpr auto kRound = 10s;

double nowMs()
{
    return std::chrono::duration<double, std::milli>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Notes when the plot of the loss has been painted.
class PaintClock : public QApplication {
public:
    using QApplication::QApplication;

    /// @param canvas what it draws is what it had when it was last redrawn
    void follow(ui::PlotCanvas* canvas)
    {
        m_canvas = canvas;
        connect(canvas, &ui::PlotCanvas::refreshed, this, [this] { m_redrawn = lastStep(); });
    }

    bool notify(QObject* receiver, QEvent* event) override
    {
        const bool isPaint = receiver == m_canvas && event->type() == QEvent::Paint;
        const bool result = QApplication::notify(receiver, event);
        if (isPaint) {
            const double now = nowMs();
            for (; m_painted < m_redrawn; ++m_painted)
                m_times[m_painted + 1] = now;
        }
        return result;
    }

    const std::map<std::int64_t, double>& times() const { return m_times; }  ///< by step, in milliseconds since 1970

private:
    std::int64_t lastStep() const
    {
        std::int64_t last = 0;
        for (const ui::DrawnLine& line : m_canvas->lines())
            if (line.data->key.metric == contract::metric::kLoss && line.data->key.rank == 0 && !line.data->points.isEmpty())
                last = line.data->points.steps().back();
        return last;
    }

    QPointer<ui::PlotCanvas> m_canvas;
    std::int64_t m_redrawn = 0, m_painted = 0;
    std::map<std::int64_t, double> m_times;
};

ui::PlotCanvas* lossPlot(ui_test::OpenWindow& window)
{
    for (ui::PlotPanel* const panel : window->findChild<ui::PlotsView*>()->panels())
        for (const ui::DrawnLine& line : panel->canvas().lines())
            if (line.data->key.metric == contract::metric::kLoss && !panel->canvas().visibleRegion().isEmpty())
                return &panel->canvas();
    return nullptr;
}

/// When rank 0 wrote each step, in milliseconds since 1970.
std::map<std::int64_t, double> writtenSteps(const contract::RunFolder& folder)
{
    std::map<std::int64_t, double> written;
    std::ifstream journal(folder.journal(0));
    contract::JournalParser parser;
    double start = 0;
    for (std::string text; std::getline(journal, text);) {
        const contract::JournalLine& line = parser.parse(text);
        if (line.kind == contract::JournalLine::Kind::Header)
            start = double(line.header.startUnixMs);
        else if (line.type == contract::record::kStep)
            written[line.step] = start + line.tMs;
    }
    return written;
}

/// Lets the window work, and nothing but it.
void passTime(std::chrono::milliseconds time)
{
    QEventLoop loop;
    QTimer::singleShot(time, &loop, &QEventLoop::quit);
    loop.exec();
}

nlohmann::json measure(PaintClock& application)
{
    const ui_test::TestHome home;
    ui_test::OpenWindow window(home.home());
    contract::Experiment experiment = ui_test::plainExperiment(100'000'000);
    experiment.set("launch.ranks", std::int64_t {kRanks});
    const QString id = window.start(experiment);
    ui::PlotCanvas* plot = nullptr;
    const bool isDrawn = QTest::qWaitFor([&] { return (plot = lossPlot(window)); }, ui_test::kTimeoutMs);
    std::vector<double> percents, latencies;
    if (isDrawn) {
        application.follow(plot);
        passTime(3s);
        const double from = nowMs();
        for (int round = 0; round < kRepeats; ++round) {
            const std::clock_t before = std::clock();
            const double begin = nowMs();
            passTime(kRound);
            percents.push_back(100 * 1000 * double(std::clock() - before) / CLOCKS_PER_SEC / (nowMs() - begin));
        }
        const auto written = writtenSteps(contract::RunFolder(home.home().runs() / id.toStdString()));
        for (const auto& [step, painted] : application.times())
            if (const auto at = written.find(step); at != written.end() && at->second > from)
                latencies.push_back(painted - at->second);
    }
    const bool haveEnded = ui_test::endRuns(home.home());
    if (!isDrawn || latencies.size() < 100 || !haveEnded)
        throw std::runtime_error("the run was not followed: " + std::to_string(latencies.size()) + " steps were painted");
    nlohmann::json latency = bench::row("workbench", "live-8x10", "written → painted, p95", "ms", {bench::quantile(latencies, 0.95)}, bench::Better::Lower, {250, "limit"});
    latency["runs"] = latencies;
    return {latency, bench::row("workbench", "live-8x10", "window, core", "%", percents, bench::Better::Lower, {5, "limit"})};
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
    qputenv("ATELIER_WORKER", FAKE_WORKER);
    qputenv("FAKE_STEP_MS", "100");
    qputenv("FAKE_METRICS", "1");
    PaintClock application(argc, argv);
    try {
        std::cout << nlohmann::json {{"rows", measure(application)}}.dump(2) << std::endl;
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_workbench_live: %s\n", error.what());
        return 1;
    }
}
