// Noise levels of sampling runs against the tables that diffusers makes (rows A-001 to A-013).
#include "engine/diffusion/beta_quantile.h"
#include "engine/diffusion/flow_match_schedule.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <numbers>

using engine::Spacing;

class FlowMatchScheduleTest : public QObject {
    Q_OBJECT

    static constexpr const char* kStableDiffusion3 = R"({"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 3.0})";
    static constexpr const char* kQwenImage = R"({"use_dynamic_shifting": true, "base_shift": 0.5, "max_shift": 0.9,
        "base_image_seq_len": 256, "max_image_seq_len": 8192, "shift": 1.0, "shift_terminal": 0.02})";

    static engine::FlowMatchConfig configOf(const char* json)
    {
        return engine::flowMatchConfig(contract::JsonConfig("scheduler_config.json", json));
    }

private Q_SLOTS:
    void levelsAreThoseOfTheScheduler_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<bool>("isBySigma");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<QList<double>>("sigmas");
        QTest::newRow("A-002 A-003 A-009 A-013 Stable Diffusion 3")
            << QByteArray(kStableDiffusion3) << false << 1024 << QList<double> {1, 0.85769230, 0.60215056, 0.00892857, 0};
        QTest::newRow("A-004 A-005 A-007 A-008 A-013 Qwen-Image at 512 × 512")
            << QByteArray(kQwenImage) << true << 1024 << QList<double> {1, 0.74926823, 0.43258792, 0.01999992, 0};
        // σ = 1, 3/4, 2/4, 1/4 and μ = 0.5 at 256 tokens: e^μ / (e^μ + 1/σ - 1).
        const auto at = [](double sigma) { return std::exp(0.5) / (std::exp(0.5) + 1 / sigma - 1); };
        QTest::newRow("A-011 Flux at 256 tokens") << QByteArray(R"({"use_dynamic_shifting": true})") << true << 256
                                                  << QList<double> {1, at(0.75), at(0.5), at(0.25), 0};
        QTest::newRow("A-004 linear, 256 tokens") << QByteArray(R"({"use_dynamic_shifting": true, "time_shift_type": "linear"})") << true
                                                  << 256 << QList<double> {1, 0.5 / (0.5 + 1 / 3.0), 0.5 / 1.5, 0.5 / 3.5, 0};
        QTest::newRow("A-011 without a shift") << QByteArray("{}") << true << 256 << QList<double> {1, 0.75, 0.5, 0.25, 0};
    }
    void levelsAreThoseOfTheScheduler()
    {
        QFETCH(QByteArray, config);
        QFETCH(bool, isBySigma);
        QFETCH(int, tokens);
        QFETCH(QList<double>, sigmas);
        const auto levels = engine::noiseLevels(configOf(config.constData()), isBySigma ? Spacing::Sigmas : Spacing::Timesteps, 4, tokens);
        QCOMPARE(levels.sigmas.size(), 5U);
        QCOMPARE(levels.timesteps.size(), 4U);
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY2(std::abs(levels.sigmas[i] - sigmas[static_cast<qsizetype>(i)]) < 1e-6, qPrintable(QString::number(levels.sigmas[i], 'g', 9)));
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(std::abs(levels.timesteps[i] - 1000 * sigmas[static_cast<qsizetype>(i)]) < 1e-3);
    }

    void oneStepGoesAllTheWay()
    {
        for (const auto spacing : {Spacing::Timesteps, Spacing::Sigmas}) {
            const auto levels = engine::noiseLevels(configOf(kStableDiffusion3), spacing, 1, 1024);
            QCOMPARE(levels.sigmas, (std::vector<float> {1, 0}));
            QCOMPARE(levels.timesteps, std::vector<float> {1000});
        }
    }

    /// Beta(1/2, 1/2) is the arcsine distribution, Beta(1, 1) the uniform one, Beta(2, 2) has the density 6 x (1 - x).
    void quantilesOfTheBetaDistribution_A006()
    {
        for (const double p : {0.0, 1e-6, 0.1, 0.3, 0.5, 0.7, 0.999, 1.0}) {
            const double arcsine = std::pow(std::sin(std::numbers::pi * p / 2), 2);
            QVERIFY(std::abs(engine::symmetricBetaQuantile(p, 0.5) - arcsine) < 1e-12);
            QVERIFY(std::abs(engine::symmetricBetaQuantile(p, 1) - p) < 1e-12);
            const double x = engine::symmetricBetaQuantile(p, 2);
            QVERIFY(std::abs(3 * x * x - 2 * x * x * x - p) < 1e-12);
        }
        // At 0.6 against the integral of the density, with t = x^(2/5) in place of x, where it has no pole.
        const double x = engine::symmetricBetaQuantile(0.2, 0.6);
        double integral = 0;
        constexpr int kParts = 20000;
        for (int i = 0; i < kParts; ++i) {
            const double t = (i + 0.5) / kParts * std::pow(x, 0.6);
            integral += std::pow(1 - std::pow(t, 1 / 0.6), -0.4) / 0.6 * std::pow(x, 0.6) / kParts;
        }
        QVERIFY(std::abs(integral / std::beta(0.6, 0.6) - 0.2) < 1e-8);
    }

    void betaLevelsAreQuantiles_A006()
    {
        const auto levels = engine::noiseLevels(configOf(R"({"use_beta_sigmas": true})"), Spacing::Sigmas, 5, 0);
        QCOMPARE(levels.sigmas.size(), 6U);
        for (std::size_t i = 0; i < 5; ++i) {
            const double expected = 0.2 + engine::symmetricBetaQuantile(1 - static_cast<double>(i) / 4, 0.6) * 0.8;
            QVERIFY(std::abs(levels.sigmas[i] - expected) < 1e-6);
        }
        QCOMPARE(levels.sigmas.back(), 0.0F);
        QCOMPARE(engine::noiseLevels(configOf(R"({"use_beta_sigmas": true})"), Spacing::Sigmas, 1, 0).sigmas, (std::vector<float> {1, 0}));
    }

    void givenLevelsAndTimesteps_A002()
    {
        // Both: the levels are shifted, the timesteps are handed to the model as they are.
        const auto levels = engine::noiseLevels({.shift = 3}, {.sigmas = {1, 0.5}, .timesteps = {900, 100}});
        QCOMPARE(levels.sigmas, (std::vector<float> {1, 0.75, 0}));
        QCOMPARE(levels.timesteps, (std::vector<float> {900, 100}));
        // Inverted levels are data first, and the model is given what it finds there.
        const auto inverted = engine::noiseLevels({.isInverted = true}, {.sigmas = {1, 0.25}});
        QCOMPARE(inverted.sigmas, (std::vector<float> {0, 0.75, 1}));
        QCOMPARE(inverted.timesteps, (std::vector<float> {0, 750}));
    }

    void requestsThatCannotBeMetAreNamed_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<int>("which");
        QTest::newRow("A-002 a dynamic shift without mu") << QByteArray("mu must be given") << 0;
        QTest::newRow("A-002 more sigmas than steps") << QByteArray("2 sigmas are given for 3 steps") << 1;
        QTest::newRow("A-002 fewer timesteps than sigmas") << QByteArray("1 timesteps are given for 2 steps") << 2;
        QTest::newRow("A-002 no steps") << QByteArray("at least one step") << 3;
        QTest::newRow("A-002 a level of data") << QByteArray("a given sigma is 0;") << 4;
        QTest::newRow("A-002 beyond noise") << QByteArray("a given timestep is 1200; it must be above 0 and at most 1000") << 5;
        QTest::newRow("A-002 no number") << QByteArray("a given sigma is NaN;") << 6;
        QTest::newRow("A-002 levels for UniPC") << QByteArray("UniPC has noise levels of its own") << 7;
    }
    void requestsThatCannotBeMetAreNamed()
    {
        QFETCH(QByteArray, said);
        QFETCH(int, which);
        const std::vector<std::function<void()>> requests = {[] { engine::noiseLevels({.isDynamic = true}, {.steps = 4}); },
            [] { engine::noiseLevels({}, {.steps = 3, .sigmas = {1, 0.5}}); }, [] { engine::noiseLevels({}, {.sigmas = {1, 0.5}, .timesteps = {1000}}); },
            [] { engine::noiseLevels({}, engine::LevelRequest {}); }, [] { engine::noiseLevels({}, {.sigmas = {1, 0}}); },
            [] { engine::noiseLevels({}, {.timesteps = {1200, 500}}); }, [] { engine::noiseLevels({}, {.sigmas = {std::nan("")}}); },
            [] { engine::noiseLevels({.uniPc = engine::UniPcConfig {}}, {.sigmas = {1, 0.5}}); }};
        try {
            requests.at(static_cast<std::size_t>(which))();
            QFAIL("accepted");
        } catch (const std::invalid_argument& error) {
            QVERIFY2(QByteArray(error.what()).contains(said), error.what());
        }
    }

    void theTrainingTable_A001_A013()
    {
        const auto levels = engine::trainingLevels({.shift = 3});
        QCOMPARE(levels.timesteps.size(), 1000U);
        const std::vector<std::pair<std::size_t, double>> expected = {{0, 1000}, {1, 999.66638}, {2, 999.33240}, {997, 8.94632}, {998, 5.97610}, {999, 2.99401}};
        for (const auto& [index, timestep] : expected)
            QVERIFY2(std::abs(levels.timesteps[index] - timestep) < 1e-4 * 5, qPrintable(QString::number(levels.timesteps[index], 'g', 9)));
        // A dynamic shift depends on the picture, which a training table does not know.
        const auto even = engine::trainingLevels({.trainTimesteps = 4, .shift = 3, .isDynamic = true});
        QCOMPARE(even.sigmas, (std::vector<float> {1, 0.75, 0.5, 0.25}));
    }

    void wanIsShiftedOnce_A010_A013()
    {
        const auto levels = engine::noiseLevels({.shift = 5}, Spacing::Sigmas, 4, 0);
        const std::vector<double> expected = {1, 0.9375, 0.83333331, 0.625, 0};
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(std::abs(levels.sigmas[i] - expected[i]) < 1e-7);
    }

    void timestepsAreFound_A012()
    {
        const std::vector<float> table = {1000, 900, 500, 500, 500, 100, 0};
        QCOMPARE(engine::indexOfTimestep(table, 900), 1U);
        QCOMPARE(engine::indexOfTimestep(table, 900.05), 1U);  // rounded on the way
        QCOMPARE(engine::indexOfTimestep(table, 500), 3U);     // the second of equal ones
        QCOMPARE(engine::indexOfTimestep(table, 0), 6U);
        for (const double timestep : {900.2, 499.0, -100.0, 0.001, std::nan(""), 1e300})
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::indexOfTimestep(table, timestep));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::indexOfTimestep({}, 500));
    }

    void whatIsNotKnownIsNamed_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("another scheduler") << QByteArray(R"({"_class_name": "DDIMScheduler"})") << QByteArray("is DDIMScheduler, which is not supported");
        QTest::newRow("UniPC of another path") << QByteArray(R"({"_class_name": "UniPCMultistepScheduler"})") << QByteArray("use_flow_sigmas");
        QTest::newRow("UniPC of third order")
            << QByteArray(R"({"_class_name": "UniPCMultistepScheduler", "use_flow_sigmas": true, "prediction_type": "flow_prediction", "solver_order": 3})")
            << QByteArray("solver_order");
        QTest::newRow("A-001 two spacings") << QByteArray(R"({"use_karras_sigmas": true, "use_beta_sigmas": true})")
                                            << QByteArray("\"use_beta_sigmas\" and use_karras_sigmas are both true; at most one may be");
        QTest::newRow("another spacing with UniPC")
            << QByteArray(R"({"_class_name": "UniPCMultistepScheduler", "use_flow_sigmas": true, "prediction_type": "flow_prediction", "use_karras_sigmas": true})")
            << QByteArray("\"use_karras_sigmas\" is not supported with UniPC");
        QTest::newRow("too many training steps") << QByteArray(R"({"num_train_timesteps": 1e9})") << QByteArray("at most 1000000");
        QTest::newRow("a word for a number") << QByteArray(R"({"shift": "three"})") << QByteArray("shift");
        QTest::newRow("no shift at all") << QByteArray(R"({"shift": 0})") << QByteArray("must be at least");
        QTest::newRow("a number for a word") << QByteArray(R"({"time_shift_type": 3})") << QByteArray("time_shift_type");
        QTest::newRow("an unknown word") << QByteArray(R"({"time_shift_type": "cubic"})") << QByteArray("supported: exponential, linear");
        QTest::newRow("an end beyond the beginning") << QByteArray(R"({"shift_terminal": 1.5})") << QByteArray("shift_terminal");
        QTest::newRow("no range of lengths") << QByteArray(R"({"base_image_seq_len": 4096})") << QByteArray("must differ");
        QTest::newRow("a list") << QByteArray("[]") << QByteArray("object");
    }
    void whatIsNotKnownIsNamed()
    {
        QFETCH(QByteArray, config);
        QFETCH(QByteArray, said);
        try {
            configOf(config.constData());
            QFAIL("accepted");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QByteArray(error.what()).startsWith("scheduler_config.json") && QByteArray(error.what()).contains(said), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(FlowMatchScheduleTest)
#include "tst_flow_match_schedule.moc"
