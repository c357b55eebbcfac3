// Makes the images of the window: atelier_screenshots OUTDIR [--scale 2]
//
// The main window is shown as it is on the data home ($ATELIER_HOME, or the user's); the states that need
// a home of their own (empty, damaged, many runs) get one.
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/lock_byte.h"
#include "launcher/launch.h"
#include "launcher/scheduler.h"
#include "tests/ui/support/test_home.h"
#include "ui/base/appearance.h"
#include "ui/base/icons.h"
#include "ui/base/watchdog.h"
#include "ui/gallery/gallery_view.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/option_form.h"
#include "ui/logs/logs_dock.h"
#include "ui/main_window.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/annotate_dialog.h"
#include "ui/runs/columns_dialog.h"
#include "ui/runs/runs_view.h"
#include "ui/trash_dialog.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QTabWidget>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QWindow>

#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace {

using ui::Appearance;

template <typename Condition>
void waitFor(Condition isTrue)
{
    if (!QTest::qWaitFor(isTrue, 20'000))
        qFatal("the window did not get ready for its image");
}

/// Until everything that was asked of the database has been answered and painted.
void settle(ui::MainWindow& window)
{
    for (int round = 0; round < 12; ++round) {
        bool isAnswered = false;
        window.workbench().store.query(
            &window, [](const storage::Store& store) { return store.changeCounter(); },
            [&](std::int64_t) { isAnswered = true; },
            [&](storage::StoreError::Kind, const QString&) { isAnswered = true; });
        waitFor([&] { return isAnswered; });
        // Queued replots come at thirty a second at most.
        bool isPainted = false;
        QTimer::singleShot(50, &window, [&] { isPainted = true; });
        waitFor([&] { return isPainted; });
    }
}

class Album {
public:
    Album(QString folder, int scale)
        : m_folder(std::move(folder))
        , m_suffix(scale == 1 ? QString() : QStringLiteral("-%1x").arg(scale))
    {
    }

    void keep(QWidget& widget, const QString& name)
    {
        const QString file = QStringLiteral("%1/%2%3.png").arg(m_folder, name, m_suffix);
        if (!widget.grab().save(file))
            qFatal("%s cannot be written", qPrintable(file));
        std::printf("%s\n", qPrintable(file));
    }

private:
    QString m_folder;
    QString m_suffix;
};

void showState(const launcher::DataHome& home, Album& album, const QString& name, QSize size = QSize(1600, 920))
{
    ui::MainWindow window(home);
    window.resize(size);
    window.show();
    waitFor([&] { return window.windowHandle()->isExposed(); });
    settle(window);
    album.keep(window, name);
}

/// What a small screen, or a larger one at 200 %, has room for.
void showSmall(Album& album)
{
    ui::applyAppearance(Appearance::Light);
    const ui_test::TestHome home;
    home.writeRun("digits-20261121-100000-aaaa", 80, "finished");
    home.ingest();
    showState(home.home(), album, QStringLiteral("one-run"));
    for (const QSize size : {QSize(1024, 700), QSize(800, 500)}) {
        const QString suffix = QStringLiteral("%1x%2").arg(size.width()).arg(size.height());
        const ui_test::TestHome fresh;
        fresh.writeRun("digits-20261121-100000-aaaa", 80, "finished");
        fresh.ingest();
        ui::MainWindow window(fresh.home());
        window.resize(size);
        window.show();
        waitFor([&] { return window.windowHandle()->isExposed(); });
        settle(window);
        album.keep(window, QStringLiteral("small-") + suffix);
        ui::LaunchWindow& launch = window.openLaunchWindow();
        launch.resize(size);
        settle(window);
        album.keep(launch, QStringLiteral("small-launch-") + suffix);
    }
}

void showMain(const launcher::DataHome& home, Album& album)
{
    for (const Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        ui::applyAppearance(appearance);
        const QString suffix = appearance == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
        ui::MainWindow window(home);
        window.resize(1600, 920);
        window.show();
        waitFor([&] { return window.windowHandle()->isExposed(); });
        const QStringList tabs = {QStringLiteral("plots"), QStringLiteral("samples"), QStringLiteral("checkpoints")};
        for (int tab = 0; tab < tabs.size(); ++tab) {
            window.tabs().setCurrentIndex(tab);
            settle(window);
            album.keep(window, QStringLiteral("%1-%2").arg(tabs[tab], suffix));
        }
        if (auto* gallery = window.findChild<ui::GalleryView*>(); !gallery->roundsGrid().grid().isEmpty()) {
            window.tabs().setCurrentIndex(1);
            gallery->setKind(ui::SampleKind::OfRound);
            settle(window);
            album.keep(window, QStringLiteral("rounds-%1").arg(suffix));
        }
        window.tabs().setCurrentIndex(0);
        window.resize(1180, 720);
        settle(window);
        album.keep(window, QStringLiteral("plots-narrow-%1").arg(suffix));
        ui::LaunchWindow& launch = window.openLaunchWindow();
        launch.resize(1100, 780);
        for (const char* ready : {"digits-flow-grpo", "emoji", "digits"}) {
            launch.loadReady(QLatin1String(ready));
            waitFor([&] { return !launch.draft().isChecking(); });
            settle(window);
            album.keep(launch, QStringLiteral("launch-%1-%2").arg(QLatin1String(ready), suffix));
        }
        launch.findChild<ui::OptionForm*>()->goTo(QStringLiteral("engine.shard_size"));
        settle(window);
        album.keep(launch, QStringLiteral("launch-advanced-%1").arg(suffix));
        launch.draft().setField(QStringLiteral("optim.lr"), QStringLiteral("fast"));
        launch.draft().setField(QStringLiteral("batch.micro"), QStringLiteral("0"));
        waitFor([&] { return !launch.draft().isChecking(); });
        launch.start();
        settle(window);
        album.keep(launch, QStringLiteral("launch-problems-%1").arg(suffix));
        launch.draft().setExperiment({});
    }
}

void showStates(Album& album)
{
    ui::applyAppearance(Appearance::Light);
    {
        const ui_test::TestHome home;
        showState(home.home(), album, QStringLiteral("empty"));
    }
    {
        const ui_test::TestHome home;
        QFile file(QString::fromStdString(home.home().database().string()));
        if (file.open(QIODevice::WriteOnly))
            file.write(QByteArray(8192, 'x'));
        file.close();
        showState(home.home(), album, QStringLiteral("damaged"));
    }
    const ui_test::TestHome home;
    const char* const outcomes[] = {"finished", "stopped", "failed", ""};
    for (int run = 0; run < 214; ++run) {
        const char* const outcome = outcomes[run % 7 < 4 ? run % 4 : 0];
        home.writeRun(QStringLiteral("sweep%1-20261121-%2-a%3").arg(run / 10).arg(100000 + run).arg(run).toStdString(),
            20 + run % 80, outcome, *outcome == 'f' && outcome[1] == 'a' ? "Rank 1 was killed (signal 9) at step 41" : "");
    }
    home.ingest();
    showState(home.home(), album, QStringLiteral("many-runs"));
}

/// Runs with other options and losses: columns of both, a filter, a mistake in one, the comparison and plots of differences.
void showTable(Album& album, Appearance appearance)
{
    ui::applyAppearance(appearance);
    const QString suffix = appearance == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
    const ui_test::TestHome home;
    const char* const names[] = {"baseline", "slower", "lora16", "lora64", "unwarmed"};
    QStringList ids;
    for (int run = 0; run < 5; ++run) {
        const auto folder = home.writeRun(std::string(names[run]) + "-20261121-10000" + std::to_string(run) + "-aaaa", 60 + 10 * run,
            run == 4 ? "" : "finished");
        contract::Experiment experiment = contract::loadExperiment(folder.config(1)).experiment;
        experiment.setText("optim.lr", run == 1 ? "1e-4" : "3e-4");
        experiment.setText("schedule.warmup_steps", run == 4 ? "0" : "20");
        contract::writeFileAtomically(folder.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        contract::JournalHeader header;
        header.run = folder.id();
        contract::JournalWriter journal(folder.journal(0), header);
        for (int step = 1; step <= 60 + 10 * run; ++step) {
            const double loss = 0.3 + 0.02 * run + std::exp(-step / (30.0 - 4 * run));
            journal.begin(contract::record::kStep, step).add(contract::metric::kValidationLoss, loss);
            journal.commit();
        }
        contract::Annotations notes;
        notes.project = run < 2 ? "rates" : "adapters";
        if (run == 2 || run == 3)
            notes.tags = {"lora", run == 2 ? "r16" : "r64"};
        notes.notes = run == 4 ? "Diverges without a warm-up." : "";
        contract::appendAnnotations(folder.annotations(), {}, notes);
        ids << QString::fromStdString(folder.id());
    }
    home.ingest();
    ui::MainWindow window(home.home());
    window.resize(1600, 920);
    window.show();
    waitFor([&] { return window.windowHandle()->isExposed(); });
    settle(window);
    ui::RunsView& runs = window.runsView();
    for (const storage::RunField& field : {storage::RunField {storage::RunField::Kind::Parameter, "optim.lr"},
             storage::RunField {storage::RunField::Kind::Lowest, "validation/loss"}})
        runs.setFieldShown(field, true);
    runs.setColumnShown(ui::RunsModel::Tags, true);
    runs.setColumnShown(ui::RunsModel::Progress, false);
    window.resizeDocks({static_cast<QDockWidget*>(runs.parentWidget())}, {620}, Qt::Horizontal);
    window.workbench().selection.setDrawn(ids.mid(0, 3), true);
    window.tabs().setCurrentIndex(3);
    settle(window);
    album.keep(window, QStringLiteral("compare-%1").arg(suffix));
    window.tabs().setCurrentIndex(0);
    window.findChild<ui::PlotsView*>()->viewState().setShowsDifferences(true);
    auto* filter = runs.findChild<QLineEdit*>();
    filter->setText(QStringLiteral("tag:lora or optim.lr < 2e-4"));
    settle(window);
    album.keep(window, QStringLiteral("differences-%1").arg(suffix));
    filter->setText(QStringLiteral("los < 0.3 and tag:lora"));
    settle(window);
    album.keep(runs, QStringLiteral("filter-mistake-%1").arg(suffix));
    filter->clear();
    window.workbench().actions.action(QStringLiteral("view.columns"))->trigger();
    settle(window);
    album.keep(*window.findChild<ui::ColumnsDialog*>(), QStringLiteral("columns-%1").arg(suffix));
    window.findChild<ui::ColumnsDialog*>()->close();
    runs.findChild<QTreeView*>()->selectAll();
    window.workbench().actions.action(QStringLiteral("run.tags"))->trigger();
    settle(window);
    album.keep(*window.findChild<ui::AnnotateDialog*>(), QStringLiteral("annotate-%1").arg(suffix));
}

/// Names longer than any place has room for, and the trash with a run in it.
void showLongNamesAndTrash(Album& album, Appearance appearance)
{
    ui::applyAppearance(appearance);
    const QString suffix = appearance == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
    const ui_test::TestHome home;
    const std::string name(150, 'n');
    home.writeRun(name + "-20261121-100000-aaaa", 80, "failed", "Rank 1 cannot read /" + std::string(120, 'p'));
    launcher::moveToTrash(home.home(), home.writeRun("removed-20261121-100001-bbbb", 80, "finished"));
    home.ingest();
    ui::MainWindow window(home.home());
    window.resize(1280, 800);
    window.show();
    waitFor([&] { return window.windowHandle()->isExposed(); });
    settle(window);
    album.keep(window, QStringLiteral("long-names-%1").arg(suffix));
    window.workbench().actions.action(QStringLiteral("run.openTrash"))->trigger();
    settle(window);
    album.keep(*window.findChild<ui::TrashDialog*>(), QStringLiteral("trash-%1").arg(suffix));
}

/// Runs in every state of the queue; the scheduler is this program, which starts none.
void showQueue(Album& album, Appearance appearance)
{
    ui::applyAppearance(appearance);
    const QString suffix = appearance == Appearance::Light ? QStringLiteral("light") : QStringLiteral("dark");
    const ui_test::TestHome home;
    int scheduler = -1;
    contract::takeByte(launcher::queueLock(home.home()), contract::LockByte::Scheduler, scheduler);
    std::vector<launcher::QueueEntry> entries;
    for (const char* name : {"baseline", "lr-3e-4", "lr-1e-4", "emoji-wide", "flow-grpo"}) {
        contract::Experiment experiment;
        experiment.setText("run.name", name);
        entries.push_back(launcher::entryFor(launcher::createRun(home.home(), experiment).folder, 1, experiment));
    }
    entries[1].isHeld = true;
    entries[3].isHeld = true;
    entries[3].problem = "the port 29500 is in use; choose another one";
    launcher::enqueue(home.home(), entries);
    home.writeRun("digits-20261121-100000-aaaa", 80, "finished");
    home.ingest();
    ui::MainWindow window(home.home());
    window.resize(1600, 920);
    window.show();
    waitFor([&] { return window.windowHandle()->isExposed(); });
    window.findChild<QDockWidget*>(QStringLiteral("queueDock"))->raise();
    waitFor([&] { return window.workbench().queue.state().queue.waiting.size() == entries.size(); });
    settle(window);
    album.keep(window, QStringLiteral("queue-%1").arg(suffix));
    ::close(scheduler);
}

}  // namespace

int main(int argc, char** argv)
{
    const QStringList arguments(argv + 1, argv + argc);
    const qsizetype option = arguments.indexOf(QStringLiteral("--scale"));
    const int scale = option < 0 ? 1 : arguments.value(option + 1).toInt();
    if (arguments.isEmpty() || scale < 1) {
        std::fprintf(stderr, "usage: atelier_screenshots OUTDIR [--scale N]\n");
        return 2;
    }
    if (scale > 1)
        qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    ui::WatchedApplication application(argc, argv);
    QApplication::setWindowIcon(ui::applicationIcon());
    QDir().mkpath(arguments.front());
    Album album(arguments.front(), scale);
    const auto home = launcher::DataHome::locate();
    home.create();
    showMain(home, album);
    showSmall(album);
    for (const Appearance appearance : {Appearance::Light, Appearance::Dark}) {
        showTable(album, appearance);
        showQueue(album, appearance);
        showLongNamesAndTrash(album, appearance);
    }
    if (scale == 1)
        showStates(album);
    return 0;
}
