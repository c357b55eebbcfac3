// N4: the rank that the others wait for is named, and no rank where the times differ by little.
#include "ui/steps/straggler.h"

#include <QTest>

using Loads = std::vector<ui::RankLoad>;

class StragglerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N4_theRankThatComputesLongest_data()
    {
        QTest::addColumn<Loads>("loads");
        QTest::addColumn<int>("rank");
        QTest::addColumn<double>("excess");
        QTest::addColumn<double>("waiting");
        QTest::newRow("no ranks") << Loads {} << -1 << 0.0 << 0.0;
        QTest::newRow("a rank alone waits for nobody") << Loads {{0, 100, 0}} << -1 << 0.0 << 0.0;
        QTest::newRow("equal ranks") << Loads {{0, 100, 3}, {1, 101, 2}, {2, 99, 4}} << -1 << 0.0 << 0.0;
        QTest::newRow("just below a tenth") << Loads {{0, 100, 9}, {1, 109.9, 0}, {2, 100, 9}} << -1 << 0.0 << 0.0;
        QTest::newRow("of two, the slower") << Loads {{0, 150, 1}, {1, 100, 51}} << 0 << 0.5 << 51.0;
        QTest::newRow("of eight") << Loads {{0, 100, 30}, {1, 100, 31}, {2, 100, 32}, {3, 130, 2}, {4, 100, 33}, {5, 100, 34}, {6, 100, 35},
            {7, 100, 36}} << 3 << 0.3 << 33.0;
        QTest::newRow("a fast rank makes no others slow") << Loads {{0, 50, 51}, {1, 100, 1}, {2, 100, 1}} << -1 << 0.0 << 0.0;
        QTest::newRow("nothing computed") << Loads {{0, 0, 1}, {1, 0, 1}} << -1 << 0.0 << 0.0;
    }
    void N4_theRankThatComputesLongest()
    {
        QFETCH(Loads, loads);
        QFETCH(int, rank);
        const auto found = ui::findStraggler(loads);
        QCOMPARE(found ? found->rank : -1, rank);
        if (found) {
            QTEST(found->excess, "excess");
            QTEST(found->waitingMs, "waiting");
        }
    }
};

QTEST_APPLESS_MAIN(StragglerTest)
#include "tst_straggler.moc"
