// The script of a run in Slurm, shown before it is submitted.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/gpu_choice.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/script_view.h"

#include <QTabWidget>

class ScriptViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slurm_theScriptIsShownForTheTargetAndFollowsTheForm()
    {
        const ui_test::TestHome home;
        ui::RunControl control(home.home());
        ui::Settings settings(home.home());
        ui::LaunchWindow window(home.home(), control, settings);
        window.show();
        auto* const script = window.findChild<ui::ScriptView*>();
        auto* const tabs = window.findChild<QTabWidget*>(QStringLiteral("launchTabs"));
        auto* const gpus = window.findChild<ui::GpuChoice*>();
        ui::Draft& draft = window.draft();
        QVERIFY(!tabs->isTabVisible(tabs->indexOf(script)));
        QVERIFY(gpus->isVisible());

        draft.setField("launch.target", "slurm");
        QVERIFY(script->isVisible());
        QVERIFY(!gpus->isVisible());  // those of another machine
        draft.setField("launch.ranks", "4");
        draft.setField("slurm.nodes", "2");
        draft.setField("slurm.partition", "long");
        draft.setField("slurm.time", "2-0");
        const QStringList lines = script->toPlainText().split('\n');
        for (const char* line : {"#!/bin/bash", "#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=2", "#SBATCH --partition=long",
                 "#SBATCH --time=2-0", "#SBATCH --signal=B:USR1@120"})
            QVERIFY2(lines.contains(line), line);
        draft.setField("slurm.nodes", "3");  // does not divide the ranks: the checks say so
        QVERIFY(script->toPlainText().contains("--nodes=3"));

        draft.setField("launch.target", "local");
        QVERIFY(!tabs->isTabVisible(tabs->indexOf(script)));
        QVERIFY(gpus->isVisible());
    }
};

ATELIER_UI_TEST_MAIN(ScriptViewTest)
#include "tst_script_view.moc"
