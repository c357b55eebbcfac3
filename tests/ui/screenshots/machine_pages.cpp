// A run of eight ranks on GPUs: what the machine did meanwhile, where the time went, and the GPUs in the launch window.
#include "engine/contract/run/journal_writer.h"
#include "launcher/home/presets.h"
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/ui/screenshots/pages.h"
#include "tests/ui/support/test_home.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/preset_menu.h"

#include <QDockWidget>
#include <QTabWidget>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <unistd.h>

namespace screenshots {
namespace {

namespace metric = contract::metric;

constexpr int kRanks = 8, kSlow = 5, kSteps = 160;

contract::JournalHeader headerOf(const contract::RunFolder& run, int rank)
{
    contract::JournalHeader header;
    header.run = run.id();
    header.rank = rank;
    return header;
}

void writeRanks(const contract::RunFolder& run)
{
    contract::AttemptStart start = run.readStart(1);
    start.ranks = kRanks;
    run.writeStart(start);
    for (int rank = 0; rank < kRanks; ++rank) {
        contract::JournalWriter journal(run.journal(rank), headerOf(run, rank));
        for (int step = 1; step <= kSteps; ++step) {
            const bool isSlow = rank == kSlow && step > 60;
            const double noise = 6 * std::sin(step * 1.7 + rank * 2.3);
            journal.begin(contract::record::kStep, step);
            if (rank == 0)
                journal.add(metric::kLoss, 0.2 + std::exp(-step / 40.0) + 0.01 * std::sin(step * 0.9)).add(metric::kGradNorm, 0.4 + 1.0 / step);
            journal.add(metric::kDataTime, 9.0).add(metric::kForwardTime, (isSlow ? 330.0 : 250.0) + noise).add(metric::kBackwardTime, 430.0);
            journal.add(metric::kCommunicationTime, (step <= 60 || isSlow ? 12.0 : 92.0) - noise).add(metric::kOptimizerTime, 30.0);
            journal.add(metric::kStepTime, step <= 60 ? 735.0 : 815.0).add(metric::kResident, 21.3e9 + 4e8 * rank).commit();
        }
    }
}

/// What a machine did in five minutes; the records have other times than those at which they are written.
void writeMachine(const contract::RunFolder& run)
{
    {
        const contract::JournalWriter header(run.journal(contract::kHostRank), headerOf(run, contract::kHostRank));
    }
    std::ofstream journal(run.journal(contract::kHostRank), std::ios::app);
    for (int record = 0; record < 60; ++record) {
        journal << R"({"type":"host","step":)" << 5 * record << R"(,"t_ms":)" << 5000 * record;
        const auto add = [&](const std::string& name, double value) { journal << ",\"" << name << "\":" << value; };
        add(metric::kCpuLoad, 0.42 + 0.1 * std::sin(record * 0.6));
        add(metric::kCpuRanks, 0.31);
        add(metric::kHostMemory, 125e9 + 3e8 * record);
        add(metric::kHostDisk, 1.2e12 - 1e9 * record);
        for (int gpu = 0; gpu < 2; ++gpu) {
            const std::string prefix = metric::kHostPrefix + ("gpu" + std::to_string(gpu));
            add(prefix + "_load", 0.93 - 0.05 * gpu + 0.04 * std::sin(record * 1.3));
            add(prefix + "_memory_used_bytes", 71e9 + 4e9 * gpu);
            add(prefix + "_memory_run_bytes", 66e9);
            add(prefix + "_power_w", 640.0 + 20 * std::sin(record * 0.8 + gpu));
            add(prefix + "_temperature_c", 61.0 + std::min(record, 20) * 0.4);
            add(prefix + "_throttled", record > 40 && gpu == 1 ? 1 : 0);
        }
        journal << "}\n";
    }
}

void keepDock(ui::MainWindow& window, const char* dock, Album& album, const QString& name)
{
    window.findChild<QDockWidget*>(QLatin1String(dock))->raise();
    settle(window);
    album.keepBoth(window, name);
}

/// A GPU that others use, presets of one's own, and what is found before the start with the buttons that mend it.
void showLaunch(ui::MainWindow& window, const FakeGpus& gpus, Album& album)
{
    gpus.set("", std::to_string(::getpid()) + ":48000000000");
    for (const char* name : {"heart", "heart, low rate"})
        launcher::savePreset(window.workbench().home, name, contract::Experiment().toToml(contract::Experiment::Write::ChangedOnly));
    ui::LaunchWindow& launch = window.openLaunchWindow();
    launch.resize(1180, 820);
    launch.loadReady(QStringLiteral("digits"));
    auto& tree = *launch.findChild<QTreeWidget*>(QStringLiteral("gpus"));
    waitFor([&] { return tree.topLevelItemCount() == 2 && !launch.draft().isChecking(); });
    tree.topLevelItem(0)->setCheckState(0, Qt::Checked);
    tree.topLevelItem(1)->setCheckState(0, Qt::Checked);
    launch.draft().setField(QStringLiteral("data.path"), QStringLiteral("/nowhere/digits.csv.gz"));
    launch.draft().setField(QStringLiteral("optim.lr"), QStringLiteral("1e-4"));
    launch.draft().finishField();
    waitFor([&] { return !launch.draft().isChecking(); });
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-gpus"));
    launch.findChild<QTabWidget*>(QStringLiteral("launchTabs"))->setCurrentIndex(1);
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-differences"));
    auto& presets = *launch.findChild<ui::PresetMenu*>();
    presets.popup(launch.mapToGlobal(QPoint(200, 60)));
    settle(window);
    album.keepBoth(presets, QStringLiteral("presets"));
    presets.close();
    launch.draft().setExperiment({});
    launch.close();
}

}  // namespace

void showMachine(Album& album)
{
    const FakeGpus gpus;
    const ui_test::TestHome home;
    const auto run = home.writeRun("sd3-8-ranks-20261121-100000-aaaa", 0, "finished");
    setFacts(run, "sd3-8-ranks", kSteps);
    writeRanks(run);
    writeMachine(run);
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QString::fromStdString(run.id()));
    window.resizeDocks({window.findChild<QDockWidget*>(QStringLiteral("stepsDock"))}, {380}, Qt::Vertical);
    keepDock(window, "stepsDock", album, QStringLiteral("steps-8-ranks"));
    keepDock(window, "systemDock", album, QStringLiteral("system-gpus"));
    showLaunch(window, gpus, album);
}

}  // namespace screenshots
