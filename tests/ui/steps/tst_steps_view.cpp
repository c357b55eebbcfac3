// N13, N4: the dock Steps shows where the time of the inspected run's steps and rounds goes, and which rank holds the others up.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/action_registry.h"
#include "ui/steps/parts_chart.h"
#include "ui/steps/parts_legend.h"
#include "ui/steps/rank_map.h"
#include "ui/steps/steps_view.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QTableView>
#include <QTest>

namespace metric = contract::metric;

namespace {

constexpr int kRanks = 3, kSlow = 1;

/// Rank 1 computes 10 ms longer than the others, which wait for it.
void writeRanks(const contract::RunFolder& run, int steps, bool isRounds = false)
{
    for (int rank = 0; rank < kRanks; ++rank) {
        contract::JournalHeader header;
        header.run = run.id();
        header.rank = rank;
        contract::JournalWriter journal(run.journal(rank), header);
        for (int step = 1; step <= steps; ++step) {
            journal.begin(contract::record::kStep, step).add(metric::kDataTime, 1.0).add(metric::kForwardTime, rank == kSlow ? 20.0 : 10.0);
            journal.add(metric::kBackwardTime, 5.0).add(metric::kCommunicationTime, rank == kSlow ? 1.0 : 11.0);
            journal.add(metric::kOptimizerTime, 2.0).add(metric::kStepTime, 32.0).add(metric::kResident, 1e9 * (rank + 1));
            if (isRounds && rank == 0 && step % 4 == 0)
                journal.add("timing_s/gen", 3.0).add("timing_s/update_actor", 1.0);
            journal.commit();
        }
    }
}

double milliseconds(const ui::StepsView& view, const QString& name, std::size_t bin)
{
    for (const ui::StackedParts::Part& part : view.chart().parts().parts) {
        if (part.name == name)
            return part.milliseconds[bin];
    }
    return -1;
}

QComboBox* box(const ui::StepsView& view, const char* text)
{
    for (QComboBox* found : view.findChildren<QComboBox*>()) {
        if (found->findText(text) >= 0)
            return found;
    }
    return nullptr;
}

bool says(const ui::StepsView& view, const char* text)
{
    const auto labels = view.findChildren<QLabel*>();
    return std::ranges::any_of(labels, [&](const QLabel* label) { return label->isVisibleTo(&view) && label->text().contains(text); });
}

/// A run in a data home of its own, and the dock that shows it.
struct Shown {
    explicit Shown(int steps, bool isRounds = false)
        : run(home.writeRun("digits-20261121-100000-aaaa", 0, ""))
    {
        writeRanks(run, steps, isRounds);
        home.ingest();
        store = std::make_unique<ui::StoreService>(home.home());
        view = std::make_unique<ui::StepsView>(*store, selection, actions);
        view->resize(1100, 300);
        view->show();
        selection.setInspected(QString::fromStdString(run.id()));
    }

    const ui_test::TestHome home;
    const contract::RunFolder run;
    std::unique_ptr<ui::StoreService> store;
    ui::Selection selection;
    ui::ActionRegistry actions;
    std::unique_ptr<ui::StepsView> view;
};

}  // namespace

class StepsViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N13_thePartsOfAStepAddUpToIt()
    {
        const Shown shown(40);
        const ui::StepsView& view = *shown.view;
        QTRY_COMPARE(view.chart().parts().bins(), std::size_t(40));
        QTRY_COMPARE(milliseconds(view, "Data", 7), 1.0);
        QCOMPARE(milliseconds(view, "Forward", 7), (10.0 + 20 + 10) / 3);
        QCOMPARE(milliseconds(view, "Backward", 7), 5.0);
        QCOMPARE(milliseconds(view, "Waiting", 7), (11.0 + 1 + 11) / 3);
        QCOMPARE(milliseconds(view, "Optimizer", 7), 2.0);
        QCOMPARE(milliseconds(view, "Other", 7), 32.0 - 29);
        QCOMPARE(view.chart().parts().total(7), 32.0);
        const auto* legend = view.findChild<ui::PartsLegend*>();
        QCOMPARE(legend->texts(), QStringList({"Data 3 %", "Forward 42 %", "Backward 16 %", "Waiting 24 %", "Optimizer 6 %", "Other 9 %"}));
    }

    void N13_thePartsOfARank()
    {
        const Shown shown(8);
        QTRY_VERIFY(box(*shown.view, "Rank 1"));
        box(*shown.view, "Rank 1")->setCurrentText("Rank 1");
        QCOMPARE(milliseconds(*shown.view, "Forward", 3), 20.0);
        QCOMPARE(milliseconds(*shown.view, "Waiting", 3), 1.0);
    }

    void N4_theRankThatTheOthersWaitForIsNamed()
    {
        const Shown shown(40);
        // It computes 31 of 32 ms, the others 21.
        QTRY_VERIFY(says(*shown.view, "Rank 1 holds the others up: it computes 48 %"));
        QVERIFY(says(*shown.view, "they wait 11 ms a step (last 40 steps)"));
    }

    void N4_theSentenceSaysHowManyStepsItIsAbout_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("N4: fewer than a hundred") << 40 << QByteArray("(last 40 steps)");
        QTest::newRow("N4: more") << 140 << QByteArray("(last 100 steps)");
    }
    void N4_theSentenceSaysHowManyStepsItIsAbout()
    {
        QFETCH(int, steps);
        QFETCH(QByteArray, said);
        const Shown shown(steps);
        QTRY_VERIFY(says(*shown.view, said));
    }

    void N4_theMapHasARowForEachRank()
    {
        const Shown shown(40);
        const ui::RankMap& map = shown.view->map();
        QTRY_COMPARE(map.ranks(), kRanks);
        QTRY_COMPARE(map.valueAt(0, 5), 21.0);
        QCOMPARE(map.valueAt(1, 5), 31.0);
        QComboBox* const quantity = box(*shown.view, "Waiting by rank");
        quantity->setCurrentText("Waiting by rank");
        QCOMPARE(map.valueAt(0, 5), 11.0);
        QCOMPARE(map.valueAt(1, 5), 1.0);
        quantity->setCurrentText("Step time by rank");
        QCOMPARE(map.valueAt(1, 5), 32.0);
        quantity->setCurrentText("Memory by rank");
        QCOMPARE(map.valueAt(2, 5), 3e9);
    }

    void N13_theChartsShowTheSameSteps()
    {
        const Shown shown(40);
        QTRY_COMPARE(shown.view->map().ranks(), kRanks);
        auto* chart = shown.view->findChild<ui::PartsChart*>();
        auto* map = shown.view->findChild<ui::RankMap*>();
        chart->xAxis->setRange(10, 20);
        QCOMPARE(map->xAxis->range().lower, 10.0);
        map->xAxis->setRange(5, 15);
        QCOMPARE(chart->xAxis->range().upper, 15.0);
        // What is beyond the run's steps is not shown, and a key shows all again.
        chart->xAxis->setRange(30, 90);
        QVERIFY(chart->xAxis->range().upper <= 41);
        QTest::keyClick(chart, Qt::Key_F);
        QCOMPARE(chart->xAxis->range().lower, 1.0);
        QCOMPARE(map->xAxis->range().upper, 41.0);
    }

    void N13_aRunThatGrowsIsFollowed()
    {
        const Shown shown(10);
        QTRY_COMPARE(shown.view->chart().parts().bins(), std::size_t(10));
        writeRanks(shown.run, 30);
        shown.home.ingest();
        QTRY_COMPARE(shown.view->chart().parts().bins(), std::size_t(30));
        QCOMPARE(shown.view->chart().xAxis->range().upper, 31.0);
    }

    void N13_behindAnotherDockItWaits()
    {
        Shown shown(10);
        QMainWindow window;
        ui::ActionRegistry actions;
        auto* const view = new ui::StepsView(*shown.store, shown.selection, actions);
        QDockWidget steps, other;
        steps.setWidget(view);
        window.addDockWidget(Qt::BottomDockWidgetArea, &steps);
        window.addDockWidget(Qt::BottomDockWidgetArea, &other);
        window.tabifyDockWidget(&steps, &other);
        window.resize(900, 500);
        window.show();
        other.raise();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTRY_VERIFY(view->visibleRegion().isEmpty());
        QTRY_COMPARE(view->chart().parts().bins(), std::size_t(10));
        for (const std::size_t all : {30, 50}) {  // the view in sight follows both; this one may still have been on its way at the first
            writeRanks(shown.run, int(all));
            shown.home.ingest();
            QTRY_COMPARE(shown.view->chart().parts().bins(), all);
        }
        QVERIFY(view->chart().parts().bins() < 50);
        steps.raise();
        QTRY_COMPARE(view->chart().parts().bins(), std::size_t(50));
    }

    void N13_thePartsOfRounds()
    {
        const Shown shown(40, true);
        QTRY_VERIFY(shown.view->chart().parts().bins() > 0);
        QComboBox* const what = box(*shown.view, "Parts of rounds");
        QTRY_VERIFY(what->isVisibleTo(shown.view.get()));
        what->setCurrentText("Parts of rounds");
        QCOMPARE(shown.view->findChild<ui::PartsLegend*>()->texts(), QStringList({"Draw and score 75 %", "Updates 25 %"}));
        const auto& parts = shown.view->chart().parts();
        QCOMPARE(parts.width, 4);
        QCOMPARE(parts.bins(), std::size_t(10));
        QCOMPARE(parts.total(9), 4000.0);
    }

    void E11_theChartsAreReadAndMovedByKeys()
    {
        Shown shown(40);
        QTRY_COMPARE(shown.view->map().ranks(), kRanks);
        auto* chart = shown.view->findChild<ui::PartsChart*>();
        auto* map = shown.view->findChild<ui::RankMap*>();
        QTRY_COMPARE(map->accessibleName(), QString("Computing by rank, 3 ranks, steps 1 to 40, slowest rank 1"));
        QCOMPARE(chart->accessibleName(), QString("Parts of steps, Mean of all ranks, steps 1 to 40, Data 3 %, Forward 42 %, Backward 16 %, Waiting 24 %, Optimizer 6 %, Other 9 %"));
        box(*shown.view, "Waiting by rank")->setCurrentText("Waiting by rank");
        QCOMPARE(map->accessibleName(), QString("Waiting by rank, 3 ranks, steps 1 to 40, longest waiting rank 0"));
        connect(shown.view.get(), &ui::StepsView::stepChosen, shown.view.get(), [&](std::int64_t step) { shown.view->showStep(step); });

        // Plus and minus zoom, the arrows pan, Shift and an arrow move the cursor, up and down go to another rank.
        map->setFocus();
        QTest::keyClick(map, Qt::Key_Plus);
        const QCPRange zoomed = map->xAxis->range();
        QVERIFY(zoomed.size() < 40);
        QCOMPARE(chart->xAxis->range(), zoomed);
        QTest::keyClick(map, Qt::Key_Right);
        QVERIFY(map->xAxis->range().lower > zoomed.lower);
        QTest::keyClick(map, Qt::Key_Minus);
        QTest::keyClick(map, Qt::Key_F);
        QCOMPARE(map->xAxis->range().upper, 41.0);
        QTest::keyClick(map, Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(map->markedStep());
        const std::int64_t marked = *map->markedStep();
        QTest::keyClick(map, Qt::Key_Down);
        QCOMPARE(map->currentRank(), kSlow);
        QCOMPARE(map->accessibleDescription(), QString("Step %1 is marked. Rank 1, step %1: 1 ms").arg(marked));
        QTest::keyClick(map, Qt::Key_Up);
        QTest::keyClick(map, Qt::Key_Up);
        QCOMPARE(map->currentRank(), 0);
        QCOMPARE(map->accessibleDescription(), QString("Step %1 is marked. Rank 0, step %1: 11 ms").arg(marked));
    }

    void E11_TShowsTheNumbersOfAChart()
    {
        Shown shown(40);
        QTRY_COMPARE(shown.view->map().ranks(), kRanks);
        auto* map = shown.view->findChild<ui::RankMap*>();
        shown.view->showStep(7);
        map->setFocus();
        QTest::keyClick(map, Qt::Key_T);
        auto* table = shown.view->findChild<QTableView*>();
        QVERIFY(table && table->isVisible());
        QCOMPARE(table->accessibleName(), "Numbers of " + map->accessibleName());
        const auto cell = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
        QCOMPARE(table->model()->headerData(2, Qt::Horizontal).toString(), QString("Rank 1"));
        QCOMPARE(table->currentIndex().row(), 6);  // the marked step's
        QCOMPARE(cell(6, 0), QString("7"));
        QCOMPARE(cell(6, 1), QString("21 ms"));
        QCOMPARE(cell(6, 2), QString("31 ms"));
        QTRY_COMPARE(QApplication::focusWidget(), table);
        // A run that grows leaves the user where he is.
        writeRanks(shown.run, 60);
        shown.home.ingest();
        QTRY_COMPARE(table->model()->rowCount(), 60);
        QCOMPARE(table->currentIndex().row(), 6);
        QTest::keyClick(table, Qt::Key_T);
        QVERIFY(map->isVisible() && !table->isVisible());
        QTRY_COMPARE(QApplication::focusWidget(), map);

        auto* chart = shown.view->findChild<ui::PartsChart*>();
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_T);
        QTRY_COMPARE(QApplication::focusWidget()->accessibleName(), "Numbers of " + chart->accessibleName());
        const auto* numbers = static_cast<QTableView*>(QApplication::focusWidget())->model();
        QCOMPARE(numbers->headerData(numbers->columnCount() - 1, Qt::Horizontal).toString(), QString("Together"));
        QCOMPARE(numbers->index(7, numbers->columnCount() - 1).data().toString(), QString("32 ms"));
    }

    /// Nothing says how many samples these runs have seen.
    void N13_anAxisThatTheRunDoesNotHaveLeavesTheSteps()
    {
        Shown shown(40);
        QTRY_COMPARE(shown.view->chart().parts().bins(), std::size_t(40));
        shown.view->setXAxis(ui::XAxis::Samples);
        QCOMPARE(shown.view->chart().axis(), ui::XAxis::Step);
        QCOMPARE(shown.view->chart().parts().bins(), std::size_t(40));
        shown.view->setXAxis(ui::XAxis::ActiveTime);
        QCOMPARE(shown.view->chart().axis(), ui::XAxis::ActiveTime);
        QCOMPARE(shown.view->map().axis(), ui::XAxis::ActiveTime);
        QCOMPARE(shown.view->chart().parts().total(0), 32.0);
        QVERIFY(shown.view->map().accessibleName().contains("3 ranks, Active time 0:0"));
        auto* chart = shown.view->findChild<ui::PartsChart*>();
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_T);
        QCOMPARE(shown.view->findChild<QTableView*>()->model()->headerData(0, Qt::Horizontal).toString(), QString("Active time"));
        shown.view->setXAxis(ui::XAxis::Step);
        QCOMPARE(shown.view->chart().parts().bins(), std::size_t(40));
    }

    /// More points than are put into bins in one turn of the event loop.
    void N13_aLongRunIsShownToItsEnd()
    {
        constexpr int kSteps = 600'000;
        Shown shown(0);
        contract::JournalHeader header;
        header.run = shown.run.id();
        contract::JournalWriter journal(shown.run.journal(0), header);
        for (int step = 1; step <= kSteps; ++step)
            journal.begin(contract::record::kStep, step).add(metric::kStepTime, 32.0).commit();
        shown.home.ingest();
        const auto lastStep = [&] {
            const auto& parts = shown.view->chart().parts();
            return (parts.firstBin + std::int64_t(parts.bins())) * parts.width;
        };
        QTRY_VERIFY(lastStep() > kSteps);
        QCOMPARE(shown.view->chart().parts().total(shown.view->chart().parts().bins() - 1), 32.0);
    }

    void N13_whatIsNotThereIsSaid()
    {
        const ui_test::TestHome home;
        const auto run = home.writeRun("digits-20261121-100000-aaaa", 0, "");
        home.ingest();
        ui::StoreService store(home.home());
        ui::Selection selection;
        ui::ActionRegistry actions;
        ui::StepsView view(store, selection, actions);
        view.show();
        QTRY_VERIFY(says(view, "No run is selected"));
        selection.setInspected(QString::fromStdString(run.id()));
        QTRY_VERIFY(says(view, "No step is finished yet"));
    }
};

ATELIER_UI_TEST_MAIN(StepsViewTest)
#include "tst_steps_view.moc"
