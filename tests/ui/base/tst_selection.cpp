#include "tests/ui/support/ui_test_main.h"
#include "ui/base/selection.h"

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
        QCOMPARE(selection.lookOf("d"), 1);
        QCOMPARE(selection.drawn().size(), 3);
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

    void aForgottenRunIsNeitherDrawnNorInspected()
    {
        ui::Selection selection;
        selection.setDrawn("a", true);
        selection.setInspected("a");
        selection.forget("a");
        QVERIFY(selection.drawn().isEmpty());
        QVERIFY(selection.inspected().isEmpty());
    }
};

ATELIER_UI_TEST_MAIN(SelectionTest)
#include "tst_selection.moc"
