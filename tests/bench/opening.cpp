// How soon the window shows the states of runs when it opens on a home of 1,000 and 10,000 finished ones.
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

constexpr int kRepeats = 3;

struct Opening {
    double firstMs = 0;  ///< until every run on the screen has its state
    double allMs = 0;
};

Opening open(const launcher::DataHome& home, int count)
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
        if (known.size() < count)
            return;
        opening.allMs = double(clock.nsecsElapsed()) / 1e6;
        loop.quit();
    });
    loop.exec();
    return opening;
}

/// @param firstLimit milliseconds until the window can be used
void measure(int count, double firstLimit, nlohmann::json& rows)
{
    const ui_test::TestHome home;
    const auto idOf = [](int run) { return "run-20261121-" + std::to_string(100'000 + run) + "-aaaa"; };
    const contract::RunFolder pattern = home.writeRun(idOf(0), 20, "finished");
    for (int run = 1; run < count; ++run)
        std::filesystem::copy(pattern.root(), home.home().runs() / idOf(run), std::filesystem::copy_options::recursive);
    home.ingest();
    std::vector<double> first, all;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const Opening opening = open(home.home(), count);
        first.push_back(opening.firstMs);
        all.push_back(opening.allMs);
    }
    const std::string name = "open-" + std::to_string(count / 1000) + "k-runs";
    rows.push_back(bench::row("workbench", name, "first-screen", "ms", first, bench::Better::Lower, {firstLimit, "limit"}));
    rows.push_back(bench::row("workbench", name, "all-states", "ms", all, bench::Better::Lower, {double(count), "limit"}));
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    nlohmann::json rows = nlohmann::json::array();
    measure(1'000, 400, rows);
    measure(10'000, 600, rows);
    std::cout << nlohmann::json {{"rows", rows}}.dump(2) << std::endl;
    return 0;
}
