#include "tests/ui/support/ui_test_main.h"
#include "ui/base/line_look.h"
#include "ui/base/selection.h"

#include <QElapsedTimer>
#include <QSignalSpy>

class SelectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunKeepsItsLookForLife()
    {
        ui::Selection selection;
        selection.setDrawn("a", true);
        selection.setDrawn("b", true);
        QCOMPARE(selection.lookOf("b"), 1);
        selection.setDrawn("a", false);
        selection.setDrawn("b", false);
        selection.setDrawn("b", true);
        QCOMPARE(selection.drawn(), QList<ui::Selection::DrawnRun>({{"b", 1}}));
    }

    void twoDrawnRunsNeverLookAlikeByChance()
    {
        ui::Selection selection;
        for (const char* id : {"a", "b", "c"})
            selection.setDrawn(id, true);
        selection.setDrawn("b", false);
        selection.setDrawn("d", true);
        QCOMPARE(selection.lookOf("d"), 3);
        QCOMPARE(selection.drawn().size(), 3);
    }

    void hiddenRunsKeepTheirLooks_data()
    {
        QTest::addColumn<bool>("reopens");
        QTest::newRow("defect-41: hide the second, show a third, show the second again") << false;
        QTest::newRow("defect-41: the same with the window opened again in between") << true;
    }
    void hiddenRunsKeepTheirLooks()
    {
        QFETCH(bool, reopens);
        ui::Selection before;
        before.setDrawn("first", true);
        before.setDrawn("second", true);
        before.setDrawn("second", false);
        ui::Selection after;
        after.restoreLooks(before.looks());
        after.setDrawn("first", true);
        ui::Selection& selection = reopens ? after : before;
        selection.setDrawn("third", true);
        selection.setDrawn("second", true);
        QCOMPARE(selection.drawn(), QList<ui::Selection::DrawnRun>({{"first", 0}, {"third", 2}, {"second", 1}}));
    }

    /// defect-41: after as many runs as there are looks, drawn ones still differ, and a file with doubles is no obstacle.
    void drawnRunsDifferWhileLooksAreLeft()
    {
        ui::Selection selection;
        selection.restoreLooks({{"old-1", 0}, {"old-2", 0}});
        selection.setDrawn("old-1", true);
        selection.setDrawn("old-2", true);
        for (int run = 0; run < 3 * ui::kLookCount; ++run) {
            selection.setDrawn(QString::number(run), true);
            selection.setDrawn(QString::number(run), false);
        }
        for (int run = 0; run < ui::kLookCount - 2; ++run)
            selection.setDrawn(QString::number(run), true);
        QSet<int> looks;
        for (const auto& run : selection.drawn()) {
            QVERIFY(run.look >= 0 && run.look < ui::kLookCount);
            looks.insert(run.look);
        }
        QCOMPARE(looks.size(), ui::kLookCount);
        selection.setDrawn("one more", true);  // now two have to share one
        QCOMPARE(selection.drawn().size(), ui::kLookCount + 1);
    }

    void signalsComeOnlyWhenSomethingChanges()
    {
        ui::Selection selection;
        QSignalSpy drawn(&selection, &ui::Selection::drawnChanged);
        QSignalSpy inspected(&selection, &ui::Selection::inspectedChanged);
        selection.setDrawn("a", true);
        selection.setDrawn("a", true);
        selection.setInspected("a");
        selection.setInspected("a");
        QCOMPARE(drawn.count(), 1);
        QCOMPARE(inspected.count(), 1);
    }

    /// Drawing all runs of a large home is one change, and its cost grows with their number only.
    void manyRunsAreDrawnAtOnce()
    {
        constexpr int kRuns = 20'000;
        QStringList all;
        for (int run = 0; run < kRuns; ++run)
            all << QString::number(run);
        ui::Selection selection;
        selection.setDrawn("7", true);
        QSignalSpy drawn(&selection, &ui::Selection::drawnChanged);
        QElapsedTimer clock;
        clock.start();
        selection.setDrawn(all, true);
        QCOMPARE(selection.drawn().size(), kRuns);
        QCOMPARE(drawn.count(), 1);
        selection.setDrawn(all, false);
        QVERIFY(selection.drawn().isEmpty() && !selection.isDrawn("7"));
        QCOMPARE(drawn.count(), 2);
        qInfo("drawn and hidden in %lld ms", clock.elapsed());
        QVERIFY(clock.elapsed() < 1000);
        selection.setDrawn(all, false);
        QCOMPARE(drawn.count(), 2);
    }

    void aSettingsFileWithoutSenseGivesNoLook()
    {
        ui::Selection selection;
        selection.restoreLooks({{"below", -3}, {"above", 2'000'000'000}, {"right", 5}});
        QCOMPARE(selection.looks(), (QHash<QString, int> {{"right", 5}}));
        selection.setDrawn({"below", "above", "right"}, true);
        for (const auto& run : selection.drawn())
            QVERIFY(run.look >= 0 && run.look < ui::kLookCount);
        QCOMPARE(selection.lookOf("right"), 5);
    }
};

ATELIER_UI_TEST_MAIN(SelectionTest)
#include "tst_selection.moc"
