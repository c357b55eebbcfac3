// Solver steps: they end exactly at the image on straight paths, and equal those of diffusers' solver on other paths.
#include <ATen/ATen.h>

#include "engine/diffusion/flow_solver.h"

#include <QtTest>

namespace {

engine::NoiseLevels levelsOf(const QByteArray& config, int steps)
{
    return engine::noiseLevels(
        engine::flowMatchConfig(contract::JsonConfig("scheduler_config.json", config.toStdString())), engine::Spacing::Sigmas, steps, 0);
}

QByteArray uniPc(const QByteArray& more = {})
{
    return R"({"_class_name": "UniPCMultistepScheduler", "use_flow_sigmas": true, "prediction_type": "flow_prediction", "flow_shift": 3.0)"
        + more + "}";
}

}  // namespace

class FlowSolverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStraightWayIsFollowedToItsEnd_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::newRow("Euler") << QByteArray(R"({"shift": 3.0})");
        QTest::newRow("UniPC") << uniPc();
        QTest::newRow("UniPC of first order") << uniPc(R"(, "solver_order": 1)");
    }
    void aStraightWayIsFollowedToItsEnd()
    {
        QFETCH(QByteArray, config);
        const auto levels = levelsOf(config, 6);
        const auto solver = engine::makeSolver(levels);
        const at::Tensor image = at::randn({2, 3, 4, 4});
        at::Tensor latents = at::randn({2, 3, 4, 4});
        for (std::size_t i = 0; i < levels.timesteps.size(); ++i)
            latents = solver->next(latents, (latents - image) / levels.sigmas[i]);
        QVERIFY(at::allclose(latents, image, 1e-4, 1e-4));
    }

    void stochasticStepsGoBackToTheCleanLatents_A020()
    {
        const auto levels = levelsOf(R"({"shift": 3.0, "stochastic_sampling": true})", 6);
        const at::Tensor image = at::randn({2, 3, 4, 4}), noise = at::randn({6, 2, 3, 4, 4});
        std::vector<std::size_t> drawn;
        const auto solver = engine::makeSolver(levels, [&](std::size_t step) {
            drawn.push_back(step);
            return noise[static_cast<std::int64_t>(step)];
        });
        at::Tensor latents = at::randn({2, 3, 4, 4});
        for (std::size_t i = 0; i < levels.timesteps.size(); ++i) {
            latents = solver->next(latents, (latents - image) / levels.sigmas[i]);
            const at::Tensor expected = image * (1 - levels.sigmas[i + 1]) + noise[static_cast<std::int64_t>(i)] * levels.sigmas[i + 1];
            QVERIFY(at::allclose(latents, expected, 1e-4, 1e-4));
        }
        QCOMPARE(drawn, (std::vector<std::size_t> {0, 1, 2, 3, 4, 5}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::makeSolver(levels));
    }

    /// Computed by UniPCMultistepScheduler of diffusers 0.42.1 for the velocity sin(3 x) + t / 1000.
    void crookedWaysAreThoseOfDiffusers_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QList<float>>("timesteps");
        QTest::addColumn<QList<QList<float>>>("expected");
        QTest::newRow("second order") << uniPc() << QList<float> {999, 923, 818, 667, 429}
                                      << QList<QList<float>> {{-1.6518633F, -0.2743839F, 0.34660268F, 1.9447119F},
                                             {-1.847204F, -0.28966033F, 0.1672149F, 1.9018074F},
                                             {-2.0307598F, -0.28347224F, 0.022312734F, 1.8838198F},
                                             {-2.1202753F, -0.23894571F, -0.051741973F, 1.8998575F},
                                             {-2.2713213F, -0.14095104F, -0.16967615F, 1.9523106F}};
        QTest::newRow("two steps without correction") << uniPc(R"(, "disable_corrector": [0, 1])") << QList<float> {999, 900, 750, 500}
                                                      << QList<QList<float>> {{-1.6974139F, -0.28169772F, 0.30059201F, 1.9281286F},
                                                             {-1.9702086F, -0.30328232F, 0.050567623F, 1.8671026F},
                                                             {-2.1588309F, -0.26942652F, -0.076232664F, 1.875186F},
                                                             {-2.3130856F, -0.15765372F, -0.21315086F, 1.9309175F}};
        QTest::newRow("first order") << uniPc(R"(, "solver_order": 1)") << QList<float> {999, 857, 600}
                                     << QList<QList<float>> {{-1.7819965F, -0.29527873F, 0.21515511F, 1.8973352F},
                                            {-2.1952689F, -0.30640098F, -0.13607253F, 1.8384356F},
                                            {-2.376672F, -0.18918955F, -0.2580342F, 1.89527F}};
        QTest::newRow("one step") << uniPc() << QList<float> {999} << QList<QList<float>> {{-3.4765282F, -0.56736088F, -1.496493F, 1.2804163F}};
    }
    void crookedWaysAreThoseOfDiffusers()
    {
        QFETCH(QByteArray, config);
        QFETCH(QList<float>, timesteps);
        QFETCH(QList<QList<float>>, expected);
        const auto levels = levelsOf(config, static_cast<int>(timesteps.size()));
        QCOMPARE(QList<float>(levels.timesteps.begin(), levels.timesteps.end()), timesteps);
        const auto solver = engine::makeSolver(levels);
        at::Tensor latents = at::tensor({-1.5, -0.25, 0.5, 2.0}, at::kFloat).view({1, 4, 1, 1});
        for (qsizetype i = 0; i < timesteps.size(); ++i) {
            latents = solver->next(latents, at::sin(latents * 3) + static_cast<double>(timesteps[i]) / 1000);
            const auto& row = expected[i];
            const at::Tensor wanted = at::tensor(std::vector<float>(row.begin(), row.end())).view_as(latents);
            QVERIFY2(at::allclose(latents, wanted, 1e-5, 1e-5), qPrintable(QString("step %1").arg(i)));
        }
    }
};

QTEST_APPLESS_MAIN(FlowSolverTest)
#include "tst_flow_solver.moc"
