// Timesteps and noise to train on: densities, weightings, choices out of a rollout's timesteps, strata, pairs.
#include <ATen/ATen.h>

#include "engine/diffusion/pair_noising.h"
#include "engine/diffusion/timestep_density.h"
#include "engine/diffusion/training_timesteps.h"
#include "tests/engine/diffusion/refusal.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <numbers>
#include <set>

using tests::refusalOf;

using Strategy = engine::TimestepStrata::Strategy;

namespace {

const std::vector<float> kTable = {1000, 900, 800, 600, 300, 100};

}  // namespace

class TrainingNoiseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void densitiesAreTheirFormulas_A060()
    {
        const at::Tensor uniform = at::tensor({0.0F, 0.25F, 0.5F, 0.9999F});
        using Kind = engine::TimestepDensity::Kind;
        QVERIFY(at::equal(engine::distributed({.kind = Kind::Uniform}, uniform), uniform));
        const at::Tensor mode = engine::distributed({.kind = Kind::Mode}, uniform);
        const auto modeOf = [](double u) { return 1 - u - 1.29 * (std::pow(std::cos(std::numbers::pi * u / 2), 2) - 1 + u); };
        QVERIFY(std::abs(mode[1].item<double>() - modeOf(0.25)) < 1e-6);
        QVERIFY(std::abs(mode[2].item<double>() - 0.5) < 1e-6);
        const at::Tensor normal = engine::distributed({.mean = 1, .deviation = 2}, at::tensor({0.5F}));
        QVERIFY(std::abs(normal.item<double>() - 1 / (1 + std::exp(-2.0))) < 1e-6);
    }

    void weightsAreTheirFormulas_A061()
    {
        const at::Tensor sigmas = at::tensor({0.25F, 0.5F});
        const auto weights = [&](const char* name) { return engine::lossWeights(engine::lossWeighting(name), sigmas); };
        QVERIFY(at::allclose(weights("sigma_sqrt"), at::tensor({16.0F, 4.0F})));
        QVERIFY(at::allclose(weights("cosmap"), at::tensor({3.2 / std::numbers::pi, 4 / std::numbers::pi}, at::kFloat)));
        QVERIFY(at::equal(weights("none"), at::ones({2})));
        QVERIFY(refusalOf([] { engine::lossWeighting("snr"); }).find("known: none, sigma_sqrt, cosmap") != std::string::npos);
    }

    void theLastLevelIsTheMost_A062()
    {
        // 1 of a sigmoid in float32 is past the end of the table.
        QVERIFY(at::equal(engine::levelIndices(at::tensor({0.0F, 0.9994F, 1.0F}), 1000), at::tensor({0, 999, 999}, at::kLong)));
    }

    void pairsShareNoiseAndTimestep_A062()
    {
        const engine::TrainingLevels levels = engine::trainingLevels({.shift = 3});
        const at::Tensor latents = at::randn({6, 4, 3});
        const auto whole = engine::drawnPairs(latents, {0, 1, 2}, 7, 3, {}, levels);
        for (std::int64_t pair = 0; pair < 3; ++pair) {
            QVERIFY(at::equal(whole.noise[2 * pair], whole.noise[2 * pair + 1]));
            QCOMPARE(whole.timesteps[2 * pair].item<float>(), whole.timesteps[2 * pair + 1].item<float>());
            const double sigma = whole.sigmas[2 * pair].item<double>();
            QVERIFY(std::abs(sigma * 1000 - whole.timesteps[2 * pair].item<double>()) < 1e-3);
            QVERIFY(at::allclose(whole.noisy[2 * pair + 1], whole.noise[2 * pair] * sigma + latents[2 * pair + 1] * (1 - sigma), 1e-5, 1e-6));
        }
        QCOMPARE(whole.sigmas.sizes(), at::IntArrayRef({6, 1, 1}));
        QVERIFY(!at::equal(whole.noise[0], whole.noise[2]));
        // The same on any rank and in any micro-batch; other draws at the next step.
        const auto part = engine::drawnPairs(latents.narrow(0, 2, 4), {1, 2}, 7, 3, {}, levels);
        QVERIFY(at::equal(part.noisy, whole.noisy.narrow(0, 2, 4)));
        QVERIFY(!at::equal(engine::drawnPairs(latents, {0, 1, 2}, 7, 4, {}, levels).timesteps, whole.timesteps));
        // What one pass drew, another uses again.
        const auto again = engine::noisedAsGiven(latents, whole.noise, whole.timesteps, levels.timesteps, levels.sigmas);
        QVERIFY(at::equal(again.noisy, whole.noisy));
        const auto half = engine::noisedAsGiven(latents.to(at::kBFloat16), whole.noise, whole.timesteps, levels.timesteps, levels.sigmas);
        QCOMPARE(half.noisy.scalar_type(), at::kBFloat16);
    }

    void whatIsNoPairIsNamed_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<int>("which");
        QTest::newRow("A-062 an odd number") << QByteArray("even number of latents") << 0;
        QTest::newRow("A-063 noise alone") << QByteArray("\"timesteps\" is missing") << 1;
        QTest::newRow("A-063 timesteps alone") << QByteArray("\"noise\" is missing") << 2;
        QTest::newRow("A-063 other noise in a pair") << QByteArray("\"noise\" differs within a pair") << 3;
        QTest::newRow("A-063 other timesteps in a pair") << QByteArray("\"timesteps\" differs within a pair") << 4;
        QTest::newRow("A-063 timesteps of fewer rows") << QByteArray("\"timesteps\" must have one row") << 5;
        QTest::newRow("A-063 noise of another shape") << QByteArray("\"noise\" must have the shape") << 6;
        QTest::newRow("A-012 a timestep of no table") << QByteArray("timestep 123.5 is none of the 1000 of the table; the nearest is 12") << 7;
        QTest::newRow("A-062 draws of fewer pairs") << QByteArray("2 preference pairs need as many draws") << 8;
    }
    void whatIsNoPairIsNamed()
    {
        QFETCH(QByteArray, said);
        QFETCH(int, which);
        const engine::TrainingLevels levels = engine::trainingLevels({});
        const at::Tensor latents = at::zeros({4, 3}), noise = at::ones({4, 3}), times = at::full({4}, 500.0);
        const auto given = [&](const at::Tensor& x, const at::Tensor& n, const at::Tensor& t) { engine::noisedAsGiven(x, n, t, levels.timesteps, levels.sigmas); };
        const std::vector<std::function<void()>> uses = {[&] { given(at::zeros({3, 3}), at::ones({3, 3}), at::full({3}, 500.0)); },
            [&] { given(latents, noise, {}); }, [&] { given(latents, {}, times); }, [&] { given(latents, at::randn({4, 3}), times); },
            [&] { given(latents, noise, at::tensor({500.0F, 501.0F, 500.0F, 500.0F})); }, [&] { given(latents, noise, at::full({2}, 500.0)); },
            [&] { given(latents, at::ones({4, 1}), times); }, [&] { given(latents, noise, at::full({4}, 123.5)); },
            [&] { engine::noisedPairs(latents, at::zeros({1, 3}), at::zeros({2}), levels); }};
        const std::string refusal = refusalOf(uses.at(static_cast<std::size_t>(which)));
        QVERIFY2(refusal.find(said.toStdString()) != std::string::npos, refusal.c_str());
    }

    void aPartOfEachRowsTimestepsIsKept_A065()
    {
        const at::Tensor candidates = at::arange(40).view({4, 10}).to(at::kFloat) * 10 + 0.5;
        const at::Tensor chosen = engine::chosenTimesteps(candidates, 0.3, 11);
        QCOMPARE(chosen.sizes(), at::IntArrayRef({4, 3}));
        std::set<std::string> orders;
        for (std::int64_t row = 0; row < 4; ++row) {
            std::set<float> own;
            std::string order;
            for (std::int64_t i = 0; i < 3; ++i) {
                const float timestep = chosen[row][i].item<float>();  // not rounded
                QVERIFY((candidates[row] == timestep).any().item<bool>());
                own.insert(timestep);
                order += std::to_string(static_cast<int>(timestep) % 100) + " ";
            }
            QCOMPARE(own.size(), 3U);
            orders.insert(order);
        }
        QVERIFY(orders.size() > 1);
        QVERIFY(at::equal(engine::chosenTimesteps(candidates, 0.3, 11), chosen));
        QVERIFY(!at::equal(engine::chosenTimesteps(candidates, 0.3, 12), chosen));
        QCOMPARE(engine::chosenTimesteps(candidates, 0.01, 11).size(1), 1);
        QVERIFY(refusalOf([&] { engine::chosenTimesteps(candidates[0], 0.5, 1); }).find("must be [B, T]") != std::string::npos);
        for (const double fraction : {0.0, -1.0, 1.5, std::nan("")})
            QVERIFY(refusalOf([&] { engine::chosenTimesteps(candidates, fraction, 1); }).find("above 0 and at most 1") != std::string::npos);
    }

    void everyStratumHasOneTimestep_A146_data()
    {
        QTest::addColumn<QByteArray>("strategy");
        for (const char* name : {"uniform", "logit_normal", "discrete", "discrete_with_init", "discrete_wo_init"})
            QTest::addRow("A-146 %s", name) << QByteArray(name);
    }
    void everyStratumHasOneTimestep_A146()
    {
        QFETCH(QByteArray, strategy);
        const engine::TimestepStrata strata {.strategy = engine::strataStrategy(strategy.toStdString()),
            .count = strategy == "discrete_wo_init" ? 3 : 4, .lowest = 0, .highest = 0.9};
        std::vector<std::vector<float>> rounds;
        for (std::uint64_t round = 0; round < 20; ++round) {
            auto timesteps = engine::drawnTimesteps(strata, kTable, 5, round, 0);
            QCOMPARE(engine::drawnTimesteps(strata, kTable, 5, round, 0), timesteps);
            QCOMPARE(static_cast<std::int64_t>(timesteps.size()), strata.count);
            rounds.push_back(timesteps);
            std::ranges::sort(timesteps);
            for (const float timestep : timesteps)
                QVERIFY(timestep >= 100 - 1e-3F && timestep <= 1000);
            if (strata.strategy == Strategy::Uniform) {  // 900 / 4 each
                for (std::size_t i = 0; i < 4; ++i)
                    QVERIFY(timesteps[i] >= 100 + 225 * static_cast<float>(i) - 0.01F && timesteps[i] <= 325 + 225 * static_cast<float>(i) + 0.01F);
            }
            if (strata.usesTable()) {
                for (const float timestep : timesteps)
                    QVERIFY(std::ranges::count(kTable, timestep) == 1);
            }
            QCOMPARE(std::ranges::count(rounds.back(), 1000.0F) > 0 || strata.strategy != Strategy::DiscreteWithFirst, true);
            QVERIFY(strata.strategy != Strategy::DiscreteNoFirst || timesteps.back() < 1000);
        }
        QVERIFY(std::ranges::any_of(rounds, [&](const auto& round) { return round != rounds.front(); }));
        QVERIFY(strata.usesTable() || engine::drawnTimesteps(strata, kTable, 5, 0, 1) != rounds.front());
        QVERIFY(strata.usesTable() || engine::drawnTimesteps(strata, kTable, 6, 0, 0) != rounds.front());
    }

    void strataThatCannotBeAreNamed_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<int>("which");
        QTest::newRow("A-146 another strategy") << QByteArray("known: uniform, logit_normal, discrete, discrete_with_init, discrete_wo_init") << 0;
        QTest::newRow("A-146 no timesteps") << QByteArray("is 0; it must be at least 1") << 1;
        QTest::newRow("A-146 a range that descends") << QByteArray("[0.9, 0.1]") << 2;
        QTest::newRow("A-146 a range beyond the data") << QByteArray("[0, 1.5]") << 3;
        QTest::newRow("A-146 no shift") << QByteArray("shift of training timesteps is 0") << 4;
        QTest::newRow("A-146 no entry in the range") << QByteArray("none of the sampler's 6 timesteps lies between 400 and 500") << 5;
    }
    void strataThatCannotBeAreNamed()
    {
        QFETCH(QByteArray, said);
        QFETCH(int, which);
        const auto draw = [](const engine::TimestepStrata& strata) { engine::drawnTimesteps(strata, kTable, 0, 0, 0); };
        const std::vector<std::function<void()>> uses = {[] { engine::strataStrategy("random"); }, [&] { draw({.count = 0}); },
            [&] { draw({.lowest = 0.9, .highest = 0.1}); }, [&] { draw({.highest = 1.5}); }, [&] { draw({.shift = 0}); },
            [&] { draw({.strategy = Strategy::Discrete, .lowest = 0.5, .highest = 0.6}); }};
        const std::string refusal = refusalOf(uses.at(static_cast<std::size_t>(which)));
        QVERIFY2(refusal.find(said.toStdString()) != std::string::npos, refusal.c_str());
    }
};

QTEST_GUILESS_MAIN(TrainingNoiseTest)
#include "tst_training_noise.moc"
