// Learning-rate factors against the formulas of rows E-179 and E-180.
#include "engine/train/schedule.h"

#include <QtTest>

#include <cmath>

using engine::Schedule;

class ScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void factorFollowsTheFormula_data()
    {
        QTest::addColumn<bool>("isCosine");
        QTest::addColumn<int>("step");
        QTest::addColumn<double>("factor");
        QTest::newRow("E-182 first step of a warm-up is zero") << true << 0 << 0.0;
        QTest::newRow("E-179 halfway up") << false << 5 << 0.5;
        QTest::newRow("E-179 top") << false << 10 << 1.0;
        QTest::newRow("E-179 constant to the end") << false << 110 << 1.0;
        QTest::newRow("E-180 top") << true << 10 << 1.0;
        QTest::newRow("E-180 halfway down") << true << 60 << 0.6;  // (1 + 0.2) / 2
        QTest::newRow("E-180 three quarters")
            << true << 85 << 0.4 * std::cos(0.75 * M_PI) + 0.6;
        QTest::newRow("E-180 end") << true << 110 << 0.2;
    }
    void factorFollowsTheFormula()
    {
        QFETCH(bool, isCosine);
        QFETCH(int, step);
        QFETCH(double, factor);
        const Schedule schedule {isCosine, 10, 110, 0.2};
        QVERIFY(std::abs(schedule.factor(step) - factor) < 1e-12);
    }
    void withoutWarmUpTheFirstStepIsFull()
    {
        QCOMPARE((Schedule {false, 0, 10, 0}.factor(0)), 1.0);
        QCOMPARE((Schedule {true, 0, 10, 0}.factor(0)), 1.0);
    }
};

QTEST_APPLESS_MAIN(ScheduleTest)
#include "tst_schedule.moc"
