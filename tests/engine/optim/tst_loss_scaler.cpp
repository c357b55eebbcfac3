// The loss scaler: its scale after sequences of steps, its saved state, and the options that it rejects.
#include "engine/comm/errors.h"
#include "engine/optim/loss_scaler.h"

#include <QtTest>

using engine::EngineError;
using engine::LossScaler;
using engine::LossScalerOptions;

class LossScalerTest : public QObject {
    Q_OBJECT

    /// The scale after each step: 'o' an overflow, '.' none.
    static QList<double> scales(LossScaler& scaler, const QByteArray& steps)
    {
        QList<double> result;
        for (const char step : steps) {
            scaler.update(step == 'o');
            result << scaler.scale();
        }
        return result;
    }
    template <typename Call>
    static QString refusal(Call call)
    {
        try {
            call();
        } catch (const EngineError& error) {
            return QString::fromStdString(error.what());
        }
        return {};
    }

private Q_SLOTS:
    void theScaleFollowsTheSteps_data()
    {
        QTest::addColumn<int>("hysteresis");
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QList<double>>("expected");
        const auto row = [](const char* name, int hysteresis, const char* steps, QList<double> expected) {
            QTest::newRow(name) << hysteresis << QByteArray(steps) << expected;
        };
        // From 8, between 2 and 32, growing after three steps.
        row("E-188 the second overflow shrinks", 2, "ooo", {8, 4, 2});
        row("E-188 not below the least", 2, "ooooo", {8, 4, 2, 2, 2});
        row("E-188 overflows need not follow each other", 2, "o..o", {8, 8, 8, 4});
        row("E-188 growth forgets overflows", 2, "o...oo", {8, 8, 8, 16, 16, 8});
        row("E-188 an overflow begins the count anew", 2, "..o...", {8, 8, 8, 8, 8, 16});
        row("E-188 not above the largest", 2, ".........", {8, 8, 16, 16, 16, 32, 32, 32, 32});
        row("E-188 hysteresis 1", 1, "o.o", {4, 4, 2});
        row("E-188 hysteresis 0", 0, "o.o", {4, 4, 2});
        row("E-188 hysteresis 3", 3, "oooo", {8, 8, 4, 2});
    }
    void theScaleFollowsTheSteps()
    {
        QFETCH(int, hysteresis);
        QFETCH(QByteArray, steps);
        QFETCH(QList<double>, expected);
        LossScaler scaler({.initial = 8, .growthInterval = 3, .minimum = 2, .maximum = 32, .hysteresis = hysteresis}, at::kHalf);
        QCOMPARE(scaler.scale(), 8.0);
        QCOMPARE(scales(scaler, steps), expected);
        QCOMPARE(scaler.inverseScale() * scaler.scale(), 1.0);
    }

    void theDefaults()
    {
        LossScaler scaler({}, at::kHalf);
        QCOMPARE(scaler.scale(), 65536.0);
        QCOMPARE(scales(scaler, "oo").back(), 32768.0);
        for (int i = 0; i < 999; ++i)
            scaler.update(false);
        QCOMPARE(scaler.scale(), 32768.0);
        scaler.update(false);
        QCOMPARE(scaler.scale(), 65536.0);
        QCOMPARE(scales(scaler, QByteArray(20000, '.')).back(), 16777216.0);
    }

    void otherDtypesKeepOne_E188()
    {
        LossScaler scaler(engine::kNoLossScaling, at::kBFloat16);
        QCOMPARE(scales(scaler, QByteArray(3000, '.') + "ooo").back(), 1.0);
        contract::Experiment experiment;
        experiment.set("scaler.initial", 128.0);
        QCOMPARE(engine::lossScalerOptionsOf(experiment).initial, 1.0);  // bf16 is the default
        experiment.set("engine.compute_dtype", std::string("fp16"));
        QCOMPARE(engine::lossScalerOptionsOf(experiment).initial, 128.0);
        experiment.reset("scaler.initial");
        QCOMPARE(engine::lossScalerOptionsOf(experiment).initial, LossScalerOptions {}.initial);
    }

    void itGoesOnWhereItWas_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::newRow("E-189 after an overflow") << QByteArray("o..");
        QTest::newRow("E-189 before a growth") << QByteArray("oo....");
    }
    void itGoesOnWhereItWas()
    {
        QFETCH(QByteArray, before);
        const LossScalerOptions options {.initial = 8, .growthInterval = 3};
        LossScaler one(options, at::kHalf), other(options, at::kHalf);
        scales(one, before);
        const auto state = one.toState();
        QCOMPARE(state.size(), 3U);
        other.restore(state);
        QCOMPARE(scales(one, ".o.oo..."), scales(other, ".o.oo..."));
        for (const auto& [name, value] : state) {
            auto lacking = state;
            lacking.erase(name);
            const QString said = refusal([&] { other.restore(lacking); });
            QVERIFY2(said.contains(QString::fromStdString(name)), qPrintable(said));
        }
    }

    void aShorterIntervalHoldsAfterAResume()
    {
        LossScaler before({.initial = 8, .growthInterval = 10}, at::kHalf), after({.initial = 8, .growthInterval = 3}, at::kHalf);
        scales(before, ".....");
        after.restore(before.toState());
        QCOMPARE(scales(after, "...."), (QList<double> {16, 16, 16, 32}));
    }

    void countsThatAreNoneAreRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::newRow("more than fits") << "loss_scale_growth_steps" << "1e300";
        QTest::newRow("a fraction") << "loss_scale_overflows" << "0.5";
        QTest::newRow("below 0") << "loss_scale_overflows" << "-1";
        QTest::newRow("a scale without end") << "loss_scale" << "Infinity";
    }
    void countsThatAreNoneAreRefused()
    {
        QFETCH(QString, name);
        QFETCH(QString, text);
        LossScaler scaler({}, at::kHalf);
        auto state = scaler.toState();
        state.at(name.toStdString()) = text.toStdString();
        const QString said = refusal([&] { scaler.restore(state); });
        QVERIFY2(said.contains('"' + name + '"'), qPrintable(said));
    }

    void whatIsOutOfRangeIsRefused_data()
    {
        QTest::addColumn<LossScalerOptions>("options");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, LossScalerOptions options, at::ScalarType dtype, const char* said) {
            QTest::newRow(name) << options << static_cast<int>(dtype) << said;
        };
        row("E-188 initial", {.initial = 0}, at::kHalf, "scaler.initial = 0");
        row("E-188 least", {.minimum = 0}, at::kHalf, "scaler.min = 0");
        row("E-188 largest", {.maximum = -1}, at::kHalf, "scaler.max = -1");
        row("E-188 growth", {.growth = 0.5}, at::kFloat, "scaler.growth = 0.5: must be at least 1");
        row("E-188 growth of fp16", {.growth = 1}, at::kHalf, "scaler.growth = 1: must be above 1");
        row("E-188 no backoff", {.backoff = 0}, at::kFloat, "scaler.backoff = 0");
        row("E-188 backoff", {.backoff = 1.5}, at::kFloat, "scaler.backoff = 1.5");
        row("E-188 backoff of fp16", {.backoff = 1}, at::kHalf, "scaler.backoff = 1: must be above 0 and below 1");
        row("E-188 hysteresis", {.hysteresis = -1}, at::kHalf, "scaler.hysteresis = -1");
        row("E-188 dtype", {}, at::kDouble, "not Double");
        row("E-188 fine for bf16", {.growth = 1, .backoff = 1}, at::kBFloat16, "");
    }
    void whatIsOutOfRangeIsRefused()
    {
        QFETCH(LossScalerOptions, options);
        QFETCH(int, dtype);
        QFETCH(QString, said);
        const QString message = refusal([&] { LossScaler(options, static_cast<at::ScalarType>(dtype)); });
        QVERIFY2(message.contains(said) && message.isEmpty() == said.isEmpty(), qPrintable(message));
    }
};

QTEST_GUILESS_MAIN(LossScalerTest)
#include "tst_loss_scaler.moc"
