// Noise levels of sampling runs against the tables that diffusers makes (rows A-001 to A-013).
#include "engine/diffusion/flow_match_schedule.h"

#include <QtTest>

#include <cmath>

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

    void whatIsNotKnownIsNamed_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("another scheduler") << QByteArray(R"({"_class_name": "DDIMScheduler"})") << QByteArray("is DDIMScheduler, which is not known here");
        QTest::newRow("UniPC of another path") << QByteArray(R"({"_class_name": "UniPCMultistepScheduler"})") << QByteArray("use_flow_sigmas");
        QTest::newRow("UniPC of third order")
            << QByteArray(R"({"_class_name": "UniPCMultistepScheduler", "use_flow_sigmas": true, "prediction_type": "flow_prediction", "solver_order": 3})")
            << QByteArray("solver_order");
        QTest::newRow("another spacing") << QByteArray(R"({"use_karras_sigmas": true})") << QByteArray("use_karras_sigmas");
        QTest::newRow("a word for a number") << QByteArray(R"({"shift": "three"})") << QByteArray("shift");
        QTest::newRow("no shift at all") << QByteArray(R"({"shift": 0})") << QByteArray("must be at least");
        QTest::newRow("a number for a word") << QByteArray(R"({"time_shift_type": 3})") << QByteArray("time_shift_type");
        QTest::newRow("an unknown word") << QByteArray(R"({"time_shift_type": "cubic"})") << QByteArray("known: exponential, linear");
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
