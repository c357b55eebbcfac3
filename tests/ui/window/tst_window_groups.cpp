// E4: runs that are equal in what the user chose become one line, in the real window.
#include "engine/contract/formats/output_file.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/plot/canvas/legend_bar.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/group_menu.h"
#include "ui/plot/plots_view.h"

#include <QInputDialog>
#include <QLabel>
#include <QTest>

using ui_test::OpenWindow;

class WindowGroupsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    /// Four runs of 40 to 70 steps: three with one learning rate and different seeds, one with another.
    void openFour()
    {
        QStringList ids;
        for (int run = 0; run < 4; ++run) {
            const std::string number = std::to_string(run);
            const auto folder = m_home->writeRun("run" + number + "-20261121-10000" + number + "-aaaa", 40 + 10 * run, "finished");
            contract::Experiment experiment = contract::loadExperiment(folder.config(1)).experiment;
            experiment.setText("optim.lr", run < 3 ? "0.0001" : "0.0003");
            experiment.setText("run.seed", number);
            contract::writeFileAtomically(folder.config(1), experiment.toToml(contract::Experiment::Write::Everything));
            ids << QString::fromStdString(folder.id());
        }
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 4);
        m_window->bench().selection.setAllDrawn(ids);
        QTRY_COMPARE(legend("loss").size(), 4);
    }
    ui::PlotsView* plots() { return (*m_window)->findChild<ui::PlotsView*>(); }
    ui::PlotPanel* panel(const std::string& id)
    {
        for (ui::PlotPanel* panel : plots()->panels()) {
            if (panel->group().id == id)
                return panel;
        }
        return nullptr;
    }
    QStringList legend(const std::string& id)
    {
        return panel(id) ? panel(id)->findChild<ui::LegendBar*>()->accessibleDescription().split("; ", Qt::SkipEmptyParts) : QStringList();
    }
    void choose(const QString& text)
    {
        auto* menu = (*m_window)->findChild<ui::GroupMenu*>(QStringLiteral("groupMenu"));
        Q_EMIT menu->aboutToShow();
        for (QAction* action : menu->actions()) {
            if (action->text() == text)
                return action->trigger();
        }
        QFAIL(qPrintable(text));
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E4_runsAreGroupedByAnOptionInWhichTheyDiffer()
    {
        openFour();
        auto* menu = (*m_window)->findChild<ui::GroupMenu*>(QStringLiteral("groupMenu"));
        const auto offers = [&](const QString& key) {
            Q_EMIT menu->aboutToShow();
            return std::ranges::any_of(menu->actions(), [&](const QAction* action) { return action->text() == key; });
        };
        QTRY_VERIFY(offers("optim.lr"));
        QVERIFY(!offers("model.width"));
        choose("optim.lr");
        QTRY_COMPARE(legend("loss").size(), 2);
        QVERIFY2(legend("loss").front().startsWith("lr=1e-04, 3 runs "), qPrintable(legend("loss").front()));
        QVERIFY2(legend("loss").back().startsWith("lr=3e-04, 1 run "), qPrintable(legend("loss").back()));
        const auto& lines = panel("loss")->canvas().lines();
        QTRY_COMPARE(lines.size(), std::size_t(4));  // the mean of three, its band, and a run
        QCOMPARE(lines.front().data->points.size(), std::size_t(40));  // the steps that all three have
        QTRY_VERIFY(panel("loss")->canvas().accessibleName().startsWith("Loss, 2 groups of runs, step"));
        const auto* below = plots()->findChild<QLabel*>(QStringLiteral("staleText"));
        QTRY_VERIFY2(below->text().startsWith("Mean and min–max of each group"), qPrintable(below->text()));
        choose("± standard deviation");
        QTRY_VERIFY2(below->text().startsWith("Mean and ± standard deviation of each group"), qPrintable(below->text()));
        const auto memory = [&] { return legend("memory/resident_bytes").value(0); };
        QTRY_VERIFY2(memory().startsWith("lr=1e-04, 3 runs, 6 ranks "), qPrintable(memory()));
        choose("No groups");
        QTRY_COMPARE(legend("loss").size(), 4);
    }

    void E4_repeatsDifferInTheSeedOnly()
    {
        openFour();
        choose("Repeats of the same options");
        QTRY_COMPARE(legend("loss").size(), 2);
        choose("Options that repeats may differ in…");
        auto* dialog = (*m_window)->findChild<QInputDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->textValue(), QStringLiteral("run.name, run.seed, launch.*"));
        dialog->setTextValue("run.*, optim.*");
        dialog->accept();
        QTRY_COMPARE(legend("loss").size(), 1);
        QVERIFY2(legend("loss").front().startsWith("run0, 4 runs "), qPrintable(legend("loss").front()));
    }

    void E4_aRunIsOneLineOverItsRanks()
    {
        openFour();
        QTRY_COMPARE(legend("memory/resident_bytes").size(), 8);
        QTRY_VERIFY(panel("time/step_ms")->title().endsWith("of rank 0"));
        choose("Each run, over its ranks");
        QTRY_COMPARE(legend("memory/resident_bytes").size(), 4);
        QTRY_VERIFY(legend("memory/resident_bytes").front().startsWith("run0, 2 ranks "));
        QVERIFY(!panel("time/step_ms")->title().endsWith("of rank 0"));  // it is of all of them
    }

    void E4_groupsAndDifferencesExcludeEachOther()
    {
        openFour();
        choose("Tags");
        QTRY_COMPARE(legend("loss").size(), 1);
        plots()->viewState().setShowsDifferences(true);
        QTRY_COMPARE(legend("loss").size(), 3);
        choose("Tags");
        QVERIFY(!plots()->viewState().showsDifferences());
        QTRY_COMPARE(legend("loss").size(), 1);
    }
};

ATELIER_UI_TEST_MAIN(WindowGroupsTest)
#include "tst_window_groups.moc"
