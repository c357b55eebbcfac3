#include "tests/ui/screenshots/pages.h"

#include "tests/ui/support/test_home.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/checkpoint/export_dialog.h"
#include "ui/gallery/gallery_view.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/launch/sweep_dialog.h"

#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeWidget>

namespace screenshots {
namespace {

void keepWindow(const launcher::DataHome& home, Album& album, const QString& name)
{
    const auto window = openWindow(home);
    settle(*window);
    album.keepBoth(*window, name);
}

}  // namespace

void showHome(const launcher::DataHome& home, Album& album)
{
    const auto opened = openWindow(home);
    ui::MainWindow& window = *opened;
    const QStringList tabs = {QStringLiteral("plots"), QStringLiteral("samples"), QStringLiteral("checkpoints")};
    for (int tab = 0; tab < tabs.size(); ++tab) {
        window.tabs().setCurrentIndex(tab);
        settle(window);
        album.keepBoth(window, tabs[tab]);
    }
    window.findChild<ui::CheckpointsView*>()->exportSelected();
    if (auto* exporting = window.findChild<ui::ExportDialog*>()) {
        waitFor([&] { return exporting->findChild<QComboBox*>()->count() > 0; });
        album.keepBoth(*exporting, QStringLiteral("export"));
        exporting->close();
    }
    if (auto* gallery = window.findChild<ui::GalleryView*>(); !gallery->roundsGrid().grid().isEmpty()) {
        window.tabs().setCurrentIndex(1);
        gallery->setKind(ui::SampleKind::OfRound);
        settle(window);
        album.keepBoth(window, QStringLiteral("rounds"));
    }
    window.tabs().setCurrentIndex(4);
    settle(window);
    album.keepBoth(window, QStringLiteral("data"));
    if (const auto& runs = window.workbench().runs.entries(); runs.size() > 1) {
        auto* gallery = window.findChild<ui::GalleryView*>();
        window.workbench().selection.setDrawn({runs[0].id(), runs[1].id()}, true);
        window.tabs().setCurrentIndex(1);
        gallery->beside().setOn(true);
        settle(window);
        album.keepBoth(window, QStringLiteral("samples-beside"));
        gallery->setFullSize(true);
        settle(window);
        album.keepBoth(window, QStringLiteral("samples-beside-full"));
    }
    window.findChild<QDockWidget*>(QStringLiteral("systemDock"))->raise();
    window.tabs().setCurrentIndex(0);
    settle(window);
    album.keepBoth(window, QStringLiteral("system"));
    window.findChild<QDockWidget*>(QStringLiteral("eventsDock"))->raise();
    settle(window);
    album.keepBoth(window, QStringLiteral("events"));
    window.findChild<QDockWidget*>(QStringLiteral("stepsDock"))->raise();
    settle(window);
    album.keepBoth(window, QStringLiteral("steps"));
    window.resize(1180, 720);
    settle(window);
    album.keepBoth(window, QStringLiteral("plots-narrow"));
    ui::LaunchWindow& launch = window.openLaunchWindow();
    launch.resize(1100, 780);
    for (const char* ready : {"digits-flow-grpo", "emoji", "digits"}) {
        launch.loadReady(QLatin1String(ready));
        waitFor([&] { return !launch.draft().isChecking(); });
        settle(window);
        album.keepBoth(launch, QStringLiteral("launch-%1").arg(QLatin1String(ready)));
    }
    auto* const pages = launch.findChild<QTabWidget*>(QStringLiteral("launchTabs"));
    launch.draft().setField(QStringLiteral("optim.lr"), QStringLiteral("3e-4"));
    pages->setCurrentIndex(1);
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-changes"));
    pages->setCurrentIndex(2);
    waitFor([&] { return launch.findChild<QTreeWidget*>(QStringLiteral("forecastParts"))->isVisible(); });
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-forecast"));
    pages->setCurrentIndex(0);
    launch.draft().setField(QStringLiteral("optim.lr"), QStringLiteral("1e-4, 3e-4, 1e-3"));
    launch.draft().setField(QStringLiteral("model.heads"), QStringLiteral("4, 5"));
    launch.draft().finishField();
    launch.findChild<ui::OptionForm*>()->goTo(QStringLiteral("optim.lr"));
    waitFor([&] { return !launch.draft().isChecking(); });
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-lists"));
    launch.start();
    auto* sweep = launch.findChild<ui::SweepDialog*>();
    waitFor([&] { return sweep && sweep->findChild<QPushButton*>(QStringLiteral("sweepButton"))->isEnabled(); });
    settle(window);
    album.keepBoth(*sweep, QStringLiteral("sweep"));
    sweep->close();
    launch.draft().setField(QStringLiteral("model.heads"), QStringLiteral("4"));
    launch.draft().setField(QStringLiteral("optim.lr"), QStringLiteral("3e-4"));
    launch.draft().finishField();
    launch.findChild<ui::OptionForm*>()->goTo(QStringLiteral("engine.shard_size"));
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-advanced"));
    launch.draft().setField(QStringLiteral("launch.target"), QStringLiteral("slurm"));
    launch.findChild<ui::OptionForm*>()->goTo(QStringLiteral("slurm.nodes"));
    waitFor([&] { return !launch.draft().isChecking(); });
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-slurm"));
    launch.draft().setField(QStringLiteral("launch.target"), QStringLiteral("local"));
    launch.draft().setField(QStringLiteral("optim.lr"), QStringLiteral("fast"));
    launch.draft().setField(QStringLiteral("batch.micro"), QStringLiteral("0"));
    waitFor([&] { return !launch.draft().isChecking(); });
    launch.start();
    settle(window);
    album.keepBoth(launch, QStringLiteral("launch-problems"));
    launch.draft().setExperiment({});
}

void showSmall(Album& album)
{
    const ui_test::TestHome home;
    home.writeRun("digits-20261121-100000-aaaa", 80, "finished");
    home.ingest();
    keepWindow(home.home(), album, QStringLiteral("one-run"));
    for (const QSize size : {QSize(1024, 700), QSize(800, 500)}) {
        const QString suffix = QStringLiteral("%1x%2").arg(size.width()).arg(size.height());
        const ui_test::TestHome fresh;
        fresh.writeRun("digits-20261121-100000-aaaa", 80, "finished");
        fresh.ingest();
        const auto opened = openWindow(fresh.home(), size);
        ui::MainWindow& window = *opened;
        settle(window);
        album.keepBoth(window, QStringLiteral("small-") + suffix);
        ui::LaunchWindow& launch = window.openLaunchWindow();
        launch.resize(size);
        settle(window);
        album.keepBoth(launch, QStringLiteral("small-launch-") + suffix);
    }
}

void showStates(Album& album)
{
    {
        const ui_test::TestHome home;
        keepWindow(home.home(), album, QStringLiteral("empty"));
    }
    {
        const ui_test::TestHome home;
        QFile file(QString::fromStdString(home.home().database().string()));
        if (file.open(QIODevice::WriteOnly))
            file.write(QByteArray(8192, 'x'));
        file.close();
        keepWindow(home.home(), album, QStringLiteral("damaged"));
    }
    const ui_test::TestHome home;
    const char* const outcomes[] = {"finished", "stopped", "failed", ""};
    for (int run = 0; run < 214; ++run) {
        const char* const outcome = outcomes[run % 7 < 4 ? run % 4 : 0];
        const auto folder = home.writeRun(QStringLiteral("sweep-20261121-%1-a%2").arg(100000 + run).arg(run).toStdString(),
            20 + run % 80, outcome, *outcome == 'f' && outcome[1] == 'a' ? "Rank 1 was killed (signal 9) after step 41" : "");
        setFacts(folder, "sweep-" + std::to_string(run), 100);
    }
    home.ingest();
    keepWindow(home.home(), album, QStringLiteral("many-runs"));
}

}  // namespace screenshots
