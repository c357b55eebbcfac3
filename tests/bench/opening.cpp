// How soon the window shows the states of runs when it opens on a home of 10,000 finished ones.
#include "tests/bench/figures.h"
#include "tests/ui/support/test_home.h"
#include "ui/main_window.h"
#include "ui/runs/runs_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSet>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

namespace {

constexpr int kRuns = 10'000;
constexpr int kRepeats = 3;

struct Opening {
    double firstMs = 0;  ///< until every run on the screen has its state
    double allMs = 0;
};

Opening open(const launcher::DataHome& home)
{
    QElapsedTimer clock;
    clock.start();
    ui::MainWindow window(home);
    window.resize(1600, 960);
    window.show();
    ui::RunsModel& runs = window.workbench().runs;
    Opening opening;
    QSet<QString> known;
    QEventLoop loop;
    const auto hasState = [&](const QString& id) { return runs.entry(id) && runs.entry(id)->status; };
    QObject::connect(&runs, &ui::RunsModel::entryChanged, &loop, [&](const QString& id) {
        if (!hasState(id))
            return;
        known.insert(id);
        const QStringList inView = opening.firstMs == 0 ? window.runsView().runsInView() : QStringList();
        if (!inView.isEmpty() && std::ranges::all_of(inView, hasState))
            opening.firstMs = double(clock.nsecsElapsed()) / 1e6;
        if (known.size() < kRuns)
            return;
        opening.allMs = double(clock.nsecsElapsed()) / 1e6;
        loop.quit();
    });
    loop.exec();
    return opening;
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const ui_test::TestHome home;
    const auto idOf = [](int run) { return "run-20261121-" + std::to_string(100'000 + run) + "-aaaa"; };
    const contract::RunFolder pattern = home.writeRun(idOf(0), 20, "finished");
    for (int run = 1; run < kRuns; ++run)
        std::filesystem::copy(pattern.root(), home.home().runs() / idOf(run), std::filesystem::copy_options::recursive);
    home.ingest();
    std::vector<double> first, all;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const Opening opening = open(home.home());
        first.push_back(opening.firstMs);
        all.push_back(opening.allMs);
    }
    const nlohmann::json rows = {
        bench::row("workbench", "open-10k-runs", "first-screen", "ms", first, bench::Better::Lower, {500, "limit"}),
        bench::row("workbench", "open-10k-runs", "all-states", "ms", all, bench::Better::Lower, {10'000, "limit"})};
    if (application.arguments().contains(QStringLiteral("--json")))
        std::cout << nlohmann::json {{"rows", rows}}.dump(2) << '\n';
    else
        std::printf("first screen %.0f ms (limit 500), all states %.0f ms (limit 10,000), medians of %d\n", bench::quantile(first, 0.5),
            bench::quantile(all, 0.5), kRepeats);
    std::fflush(stdout);  // the home takes its time to go
    return 0;
}
