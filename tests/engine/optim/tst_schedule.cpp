// Learning-rate factors against the formulas of rows E-179, E-180 and E-183.
#include "engine/optim/schedule.h"

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
        const Schedule schedule {isCosine ? Schedule::Shape::Cosine : Schedule::Shape::Constant, 10, 110, 0.2};
        QVERIFY(std::abs(schedule.factor(step) - factor) < 1e-12);
    }
    void linearFallsToTheEndAndStays()
    {
        const Schedule schedule {Schedule::Shape::Linear, 10, 110, 0.2};
        QCOMPARE(schedule.factor(10), 1.0);
        QVERIFY(std::abs(schedule.factor(60) - 0.6) < 1e-12);
        QVERIFY(std::abs(schedule.factor(110) - 0.2) < 1e-12);
        QVERIFY(std::abs(schedule.factor(500) - 0.2) < 1e-12);
    }
    void wsdWarmsUpStaysAndFalls()
    {
        Schedule schedule {Schedule::Shape::Wsd, 10, 110, 0.1};
        schedule.decaySteps = 20;
        QCOMPARE(schedule.factor(5), 0.5);
        QCOMPARE(schedule.factor(10), 1.0);
        QCOMPARE(schedule.factor(90), 1.0);
        QVERIFY(std::abs(schedule.factor(100) - 0.55) < 1e-12);
        QVERIFY(std::abs(schedule.factor(110) - 0.1) < 1e-12);
    }
    void withoutWarmUpTheFirstStepIsFull()
    {
        for (const auto shape : {Schedule::Shape::Constant, Schedule::Shape::Cosine, Schedule::Shape::Linear, Schedule::Shape::Wsd})
            QCOMPARE((Schedule {shape, 0, 10, 0}.factor(0)), 1.0);
    }
    void warmUpMayBeAPartOfAllSteps_E181()
    {
        contract::Experiment experiment;
        experiment.set("run.total_steps", std::int64_t {250});
        experiment.set("schedule.warmup_ratio", 0.03);
        QCOMPARE(engine::scheduleOf(experiment).warmupSteps, 7);  // floor(0.03 * 250)
        experiment.set("schedule.warmup_steps", std::int64_t {4});
        QCOMPARE(engine::scheduleOf(experiment).warmupSteps, 4);
    }

    void theOtherReferencesScheduleCanBeSet_data()
    {
        QTest::addColumn<qint64>("total");
        QTest::addColumn<bool>("isRatio");
        QTest::newRow("E-183 its own number of steps") << qint64 {100'000'000} << true;
        QTest::newRow("E-183 a part that is no whole step") << qint64 {250} << false;
    }
    /// Row E-183 rounds the warm-up up, row E-181 down: where that differs, the experiment gives the steps.
    void theOtherReferencesScheduleCanBeSet()
    {
        QFETCH(qint64, total);
        QFETCH(bool, isRatio);
        const double warmup = std::ceil(0.03 * static_cast<double>(total));
        contract::Experiment experiment;
        QVERIFY(!experiment.set("run.total_steps", std::int64_t {total}));
        QVERIFY(!experiment.setText("schedule.type", "cosine"));
        QVERIFY(!experiment.set("schedule.min_ratio", 0.1));
        QVERIFY(isRatio ? !experiment.set("schedule.warmup_ratio", 0.03)
                        : !experiment.set("schedule.warmup_steps", static_cast<std::int64_t>(warmup)));
        const Schedule schedule = engine::scheduleOf(experiment);
        for (qint64 step = 0; step <= total + total / 10; step += total / 125) {
            const auto s = static_cast<double>(step), progress = (s - warmup) / (static_cast<double>(total) - warmup);
            const double expected = s < warmup ? s / warmup : 0.9 * 0.5 * (1 + std::cos(M_PI * progress)) + 0.1;
            QVERIFY2(std::abs(schedule.factor(step) - expected) < 1e-12, qPrintable(QString::number(step)));
        }
    }
};

QTEST_APPLESS_MAIN(ScheduleTest)
#include "tst_schedule.moc"
