// E3: the table of a run's options.
#include "ui/inspector/parameter_table.h"

#include <QAbstractItemModelTester>
#include <QFont>
#include <QSignalSpy>
#include <QTest>

using ui::ParameterTable;

class ParameterTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void e03_theOptionsAreAModel()
    {
        ParameterTable model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setRows({{"optim.lr", "0.1", "0.2"}, {"unknown <b>", "1", "1"}});
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(model.index(0, ParameterTable::Value).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(!model.index(1, ParameterTable::Value).data(Qt::FontRole).value<QFont>().bold());
        model.setRows({{"optim.lr", "0.1", {}}});
        model.setRows({{"optim.lr", "0.1", {}}});
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(reset.count(), 3);  // not where the rows were the same
    }
};

QTEST_MAIN(ParameterTableTest)
#include "tst_parameter_table.moc"
