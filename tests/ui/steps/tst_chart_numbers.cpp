// The table of a chart over steps (T): its rows grow with the run, and a reader keeps its place.
#include "ui/steps/chart_numbers.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace ui;

class ChartNumbersTest : public QObject {
    Q_OBJECT

    static ChartTable table(int bins, double first = 10, int width = 1, const QString& name = QStringLiteral("rank 0"))
    {
        ChartTable made {.columns = {{name, {}}, {QStringLiteral("rank 1"), {}}}, .width = width};
        for (int bin = 0; bin < bins; ++bin) {
            made.columns[0].values.push_back(first + bin);
            made.columns[1].values.push_back(bin % 2 ? std::nan("") : 1);
        }
        return made;
    }

private Q_SLOTS:
    void E11_aTableThatGrowsKeepsItsRows()
    {
        ChartNumbers model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted), reset(&model, &QAbstractItemModel::modelReset);
        model.setTable(table(3));
        QCOMPARE(model.rowCount(), 3);
        const QPersistentModelIndex last = model.index(2, 1);
        const auto resets = reset.size();
        model.setTable(table(5));
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(reset.size(), resets);
        QVERIFY(last.isValid() && last.row() == 2);
        QCOMPARE(model.rowCount(), 5);
    }

    void E11_anotherTableReplacesIt_data()
    {
        QTest::addColumn<int>("bins");
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("name");
        QTest::newRow("shorter") << 2 << 1 << "rank 0";
        QTest::newRow("wider bins") << 4 << 2 << "rank 0";
        QTest::newRow("other columns") << 4 << 1 << "data";
        QTest::newRow("none") << 0 << 1 << "rank 0";
    }
    void E11_anotherTableReplacesIt()
    {
        QFETCH(int, bins);
        QFETCH(int, width);
        QFETCH(QString, name);
        ChartNumbers model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTable(table(3));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setTable(table(bins, 20, width, name));
        QCOMPARE(reset.size(), 1);
        QCOMPARE(model.rowCount(), bins);
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), name);
        model.setTable({});
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_GUILESS_MAIN(ChartNumbersTest)
#include "tst_chart_numbers.moc"
