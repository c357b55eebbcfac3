// The states of views: while they wait, when reading fails, when a run is silent, hangs or is on another machine, and when a filter leaves nothing.
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "tests/ui/screenshots/pages.h"
#include "tests/ui/support/held.h"
#include "tests/ui/support/test_home.h"
#include "ui/base/state_strip.h"
#include "ui/data/data_view.h"
#include "ui/failure_dialog.h"
#include "ui/runs/runs_view.h"

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace screenshots {
namespace {

using launcher::RunState;
using namespace std::chrono_literals;

constexpr char kFirst[] = "digits-20261121-100000-aaaa", kSecond[] = "digits-wide-20261121-100001-bbbb";

/// What stands in the middle, and the dock below it.
struct Places {
    const char* page;
    const char* dock;
};
constexpr Places kPlaces[] = {{"plots", "stepsDock"}, {"samples", "systemDock"}, {"checkpoints", "eventsDock"}, {"compare", "metricsDock"},
    {"data", "logsDock"}};

void show(ui::MainWindow& window, std::size_t place)
{
    auto* dock = window.findChild<QDockWidget*>(QLatin1String(kPlaces[place].dock));
    dock->show();
    dock->raise();
    window.tabs().setCurrentIndex(static_cast<int>(place));
}

QPushButton* cancelOf(QWidget& view)
{
    const auto buttons = view.findChildren<QPushButton*>();
    const auto found = std::ranges::find_if(buttons, [](const QPushButton* button) {
        return button->text() == QLatin1String("Cancel") && button->isVisible() && qobject_cast<const ui::ViewFrame*>(button->parentWidget());
    });
    return found == buttons.end() ? nullptr : *found;
}

void writeTwo(const ui_test::TestHome& home)
{
    home.writeRun(kFirst, 100, "finished");
    setFacts(home.writeRun(kSecond, 60, "failed", "Rank 1 was killed (signal 9, out of memory) after step 60"), "digits-wide", 100);
    home.ingest();
}

/// Each view while the database does not answer, and then cancelled.
void showLoading(Album& album)
{
    const ui_test::TestHome home;
    writeTwo(home);
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QLatin1String(kFirst));
    settle(window);
    {
        const ui_test::HeldReader held(window.workbench().store);
        window.workbench().selection.setAllDrawn({QLatin1String(kFirst), QLatin1String(kSecond)});
        window.workbench().selection.setInspected(QLatin1String(kSecond));
        for (std::size_t place = 0; place < std::size(kPlaces); ++place) {
            show(window, place);
            waitFor([&] { return cancelOf(window.tabs()); });
            album.keepBoth(window, QStringLiteral("loading-%1").arg(QLatin1String(kPlaces[place].page)));
        }
        show(window, 0);
        waitFor([&] { return cancelOf(window.tabs()); });
        while (QPushButton* const button = cancelOf(window))
            button->click();
    }
    settle(window);
    album.keepBoth(window, QStringLiteral("loading-cancelled"));
}

/// Each view when its query fails: somebody has emptied the index meanwhile.
void showErrors(Album& album)
{
    const ui_test::TestHome home;
    writeTwo(home);
    std::ofstream(home.home().runs() / kSecond / "data.jsonl") << "nonsense\n";
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QLatin1String(kFirst));
    settle(window);
    SQLite::Database index(home.home().database().string(), SQLite::OPEN_READWRITE);
    index.setBusyTimeout(5000);
    QStringList tables;
    for (SQLite::Statement names(index, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"); names.executeStep();)
        tables << QString::fromStdString(names.getColumn(0).getString());
    index.exec("PRAGMA foreign_keys = OFF");
    for (const QString& table : tables)
        index.tryExec("DROP TABLE IF EXISTS \"" + table.toStdString() + '"');
    window.workbench().selection.setAllDrawn({QLatin1String(kFirst), QLatin1String(kSecond)});
    window.workbench().selection.setInspected(QLatin1String(kSecond));
    for (std::size_t place = 0; place < std::size(kPlaces); ++place) {
        show(window, place);
        settle(window);
        album.keepBoth(window, QStringLiteral("error-%1").arg(QLatin1String(kPlaces[place].page)));
    }
}

/// A run whose supervisor is this program, with records until @p silence ago; rank 1 wrote its last one half way.
std::unique_ptr<contract::SupervisorLock> writeActive(const ui_test::TestHome& home, const char* id, std::chrono::seconds silence)
{
    const contract::RunFolder run = home.writeRun(id, 0, "");
    contract::AttemptStart start = run.readStart(1);
    start.startUnixMs = std::chrono::duration_cast<std::chrono::milliseconds>((std::chrono::system_clock::now() - silence - 20min).time_since_epoch()).count();
    run.writeStart(start);
    auto lock = std::make_unique<contract::SupervisorLock>(run);
    if (const std::string problem = lock->take(); !problem.empty())
        qFatal("%s", problem.c_str());
    lock->describe(1);
    for (int rank = 0; rank < 2; ++rank) {
        contract::JournalHeader header;
        header.run = run.id();
        header.rank = rank;
        contract::JournalWriter journal(run.journal(rank), header);
        for (int step = 1; step <= (rank == 1 ? 61 : 62); ++step) {
            journal.begin(contract::record::kStep, step).add(contract::metric::kLoss, 0.2 + std::exp(-step / 20.0));
            journal.add(contract::metric::kGradNorm, 1.0 / step).add(contract::metric::kResident, 2.1e9).add(contract::metric::kStepTime, 480.0).commit();
        }
    }
    for (int rank = 0; rank < 2; ++rank) {
        std::ofstream(run.log(rank)) << "2026-11-21 10:00:31.318 [info] [rank " << rank << "] [step 61] loss 0.247, 480 ms\n";
        std::filesystem::last_write_time(run.journal(rank), std::filesystem::file_time_type::clock::now() - silence);
    }
    return lock;
}

/// A run that was silent for a while, one that hangs, and the page that says which rank it waits for.
void showSilence(Album& album)
{
    const ui_test::TestHome home;
    constexpr char kSilent[] = "faces-20261121-100000-aaaa", kHanging[] = "digits-20261121-100001-bbbb";
    const auto silent = writeActive(home, kSilent, 14s);
    const auto hanging = writeActive(home, kHanging, 300s);
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    const auto isSeenAs = [&](const char* id, RunState state) {
        const ui::RunEntry* entry = window.workbench().runs.entry(QLatin1String(id));
        return entry && entry->status && entry->status->state == state;
    };
    waitFor([&] { return isSeenAs(kSilent, RunState::Running) && isSeenAs(kHanging, RunState::Stalled); });
    window.workbench().selection.setAllDrawn({QLatin1String(kSilent)});
    window.openRun(QLatin1String(kSilent));
    const auto shows = [&](const char* pattern) {
        const QRegularExpression expression(QLatin1String{pattern});
        const auto labels = window.findChildren<QLabel*>();
        return std::ranges::any_of(labels, [&](const QLabel* label) { return label->isVisible() && expression.match(label->text()).hasMatch(); });
    };
    waitFor([&] { return shows("2 active runs") && shows("Last record (1[5-9]|[2-5][0-9]) s ago"); });  // a slow machine gets here late
    settle(window);
    album.keepBoth(window, QStringLiteral("stale"));
    window.openRun(QLatin1String(kHanging));
    settle(window);
    album.keepBoth(window, QStringLiteral("stalled"));
    window.workbench().actions.action(QStringLiteral("run.failure"))->trigger();
    auto* page = window.findChild<ui::FailureDialog*>();
    waitFor([&] { return !page->text().isEmpty(); });
    settle(window);
    album.keepBoth(*page, QStringLiteral("failure-stalled"));
    page->close();
}

/// A run that another machine trains, on a disk that both see.
void showElsewhere(Album& album)
{
    const ui_test::TestHome home;
    const contract::RunFolder run = home.writeRun(kFirst, 62, "");
    {
        contract::SupervisorLock lock(run);
        lock.take();
        lock.describe(1);
    }
    std::ifstream was(run.supervisorLock());
    std::string text(std::istreambuf_iterator<char>(was), {});
    if (const auto at = text.find(contract::hostName()); at != std::string::npos)
        text.replace(at, contract::hostName().size(), "gpu1.example.org");
    std::ofstream(run.supervisorLock(), std::ios::trunc) << text;
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    waitFor([&] {
        const ui::RunEntry* entry = window.workbench().runs.entry(QLatin1String(kFirst));
        return entry && entry->status && entry->status->state == RunState::CutOff;
    });
    window.openRun(QLatin1String(kFirst));
    settle(window);
    window.tabs().setCurrentIndex(2);
    settle(window);
    album.keepBoth(window, QStringLiteral("cut-off"));
}

/// A filter that leaves no run, and search words that leave no option, event and metric.
void showNothingLeft(Album& album)
{
    const ui_test::TestHome home;
    writeTwo(home);
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QLatin1String(kSecond));
    window.runsView().findChild<QLineEdit*>()->setText(QStringLiteral("loss < 0.001"));
    window.workbench().actions.action(QStringLiteral("view.metrics"))->trigger();
    for (const char* dock : {"metricsDock", "logsDock"}) {
        if (auto* const search = window.findChild<QDockWidget*>(QLatin1String(dock))->findChild<QLineEdit*>())
            search->setText(QStringLiteral("velocity"));
    }
    settle(window);
    album.keepBoth(window, QStringLiteral("filtered"));
}

}  // namespace

void showViewStates(Album& album)
{
    showLoading(album);
    showErrors(album);
    showSilence(album);
    showElsewhere(album);
    showNothingLeft(album);
}

}  // namespace screenshots
