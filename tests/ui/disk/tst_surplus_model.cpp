// E12: the table of the checkpoints that no rule keeps.
#include "ui/disk/surplus_model.h"
#include "ui/runs/runs_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using ui::SurplusModel;

class SurplusModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void e12_theSurplusIsAModel()
    {
        ui::Selection selection;
        const ui::RunsModel runs(selection);
        SurplusModel model(runs);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setCheckpoints({{.run = "a", .step = 10, .folder = "/runs/a/checkpoints/step-10", .bytes = 1500},
            {.run = "b", .step = 20, .folder = "/runs/b/checkpoints/step-20", .bytes = 0}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(1, SurplusModel::Run).data().toString(), QStringLiteral("b"));  // its name is not known
        QCOMPARE(model.index(0, SurplusModel::Checkpoint).data().toString(), QStringLiteral("step-10"));
        model.setCheckpoints({});
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(reset.count(), 2);
    }
};

QTEST_MAIN(SurplusModelTest)
#include "tst_surplus_model.moc"
