// Stochastic steps: the fact sheet's anchors, what the dynamics imply, and that a row's numbers do not depend on its batch.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/diffusion/flow_solver.h"
#include "engine/diffusion/stochastic_step.h"
#include "tests/engine/diffusion/refusal.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <numbers>

using engine::RowStep;
using engine::SdeType;
using tests::refusalOf;

namespace {

/// "shift 3, n = 4" of row A-013.
engine::NoiseLevels anchorLevels() { return engine::noiseLevels({.shift = 3}, engine::Spacing::Timesteps, 4, 0); }

engine::Transition stepOf(SdeType type, const std::vector<RowStep>& rows, const at::Tensor& latents, const at::Tensor& velocity, bool includesNormaliser = true)
{
    return engine::transition(anchorLevels(), {type, includesNormaliser}, latents, velocity, rows);
}

double valueOf(const at::Tensor& tensor) { return tensor.item<double>(); }

}  // namespace

class StochasticStepTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { at::set_num_threads(1); }

    void anchorsAreMet_data()
    {
        QTest::addColumn<SdeType>("type");
        QTest::addColumn<int>("step");
        QTest::addColumn<QList<double>>("expected");  // mean, std_dev_t, log p, log p without the normaliser
        const auto row = [](const char* name, SdeType type, int step, const QList<double>& expected) { QTest::newRow(name) << type << step << expected; };
        row("A-032 A-021 A-022 sde 0", SdeType::Sde, 0, {0.4201923, 1.8555977, -0.5631702, -0.0009066});
        row("A-032 A-021 A-022 sde 1", SdeType::Sde, 1, {0.3754718, 1.7185003, -0.7818857, -0.0036800});
        row("A-032 A-021 A-022 sde 2", SdeType::Sde, 2, {0.5389122, 0.8611746, -0.5173716, -0.0089845});
        row("A-032 A-023 A-024 cps 0", SdeType::Cps, 0, {0.3085382, 0.7642094, -0.0200114, -0.0200114});
        row("A-032 A-023 A-024 cps 1", SdeType::Cps, 1, {0.4263090, 0.5365201, -0.0005613, -0.0005613});
        row("A-032 A-023 A-024 cps 2", SdeType::Cps, 2, {0.6761109, 0.0079554, -0.0511261, -0.0511261});
        row("A-032 A-025 A-026 dance_sde 0", SdeType::DanceSde, 0, {0.5252596, 0.2640659, 0.3720047, -0.0406134});
        row("A-032 A-025 A-026 dance_sde 1", SdeType::DanceSde, 1, {0.5432811, 0.3538579, 0.0851756, -0.0347456});
        row("A-032 A-025 A-026 dance_sde 2", SdeType::DanceSde, 2, {0.5860913, 0.5391463, -0.3330282, -0.0318579});
    }
    void anchorsAreMet()
    {
        QFETCH(SdeType, type);
        QFETCH(int, step);
        QFETCH(QList<double>, expected);
        const at::Tensor latents = at::full({1, 2, 3}, 0.5), velocity = at::full({1, 2, 3}, -0.3), next = at::full({1, 2, 3}, 0.45);
        const auto taken = stepOf(type, {{step, 0.7}}, latents, velocity);
        const auto bare = stepOf(type, {{step, 0.7}}, latents, velocity, false);
        const QList<double> actual = {valueOf(taken.mean[0][1][2]), valueOf(taken.deviation), valueOf(engine::logProbability(taken, next)),
            valueOf(engine::logProbability(bare, next))};
        for (qsizetype i = 0; i < actual.size(); ++i)
            QVERIFY2(std::abs(actual[i] - expected[i]) < 2e-6, qPrintable(QString("%1: %2, not %3").arg(i).arg(actual[i], 0, 'g', 9).arg(expected[i])));
        const QList<double> sqrtDt = {0.3772369, 0.5055113, 0.7702090};
        QVERIFY(std::abs(valueOf(taken.sqrtDt) - sqrtDt[step]) < 1e-6);
    }

    void theSpreadIsThatOfTheDraws_A028_A082_data() { types(); }
    void theSpreadIsThatOfTheDraws_A028_A082()
    {
        QFETCH(SdeType, type);
        const at::Tensor latents = at::randn({2, 5}), velocity = at::randn({2, 5}), noise = at::randn({2, 5});
        const auto taken = stepOf(type, {{0, 0.7}, {2, 0.4}}, latents, velocity);
        const at::Tensor expected = type == SdeType::Sde ? taken.deviation * taken.sqrtDt.unsqueeze(1) : taken.deviation;
        QVERIFY(at::allclose(taken.spread, expected, 1e-6, 0));
        QCOMPARE(taken.deviation.sizes(), at::IntArrayRef({2, 1}));
        QCOMPARE(taken.sqrtDt.sizes(), at::IntArrayRef({2}));
        const at::Tensor next = engine::nextLatents(taken, noise);
        // Not divided by the spread: that of cps is 0.005 in the second row, and would make 200 times as much of the rounding of the latents.
        QVERIFY(at::allclose(next - taken.mean, noise * taken.spread, 1e-5, 1e-6));
        if (type != SdeType::Cps) {
            const at::Tensor density = -noise.square().mean(1) / 2 - taken.spread.squeeze(1).log() - std::log(2 * std::numbers::pi) / 2;
            QVERIFY(at::allclose(engine::logProbability(taken, next), density, 1e-4, 1e-5));
        }
        QVERIFY(std::abs(engine::spreadOf(anchorLevels(), type, {2, 0.4}) - valueOf(taken.spread[1][0])) < 1e-6);
    }

    /// Noise and its counterforce leave the distribution at σ' as the ODE does: a mixture of clean c and unit noise keeps its variance.
    void theMarginalsAreThoseOfTheOde_A021_A023_data() { types(); }
    void theMarginalsAreThoseOfTheOde_A021_A023()
    {
        QFETCH(SdeType, type);
        // One clean value c: x = (1 - σ) c + σ n, v = (x - c) / σ. With small steps x' has the variance σ'² (cps: with any).
        const auto levels = engine::noiseLevels({}, engine::Spacing::Sigmas, 200, 0);
        const std::int64_t step = 100;
        const double sigma = levels.sigmas[100], next = levels.sigmas[101], clean = 1.5;
        const auto slopeAndOffset = [&](double latents) {
            const at::Tensor x = at::full({1, 1}, latents);
            return valueOf(engine::transition(levels, {type}, x, (x - clean) / sigma, std::vector<RowStep> {{step, 0.7}}).mean);
        };
        const double mean = (1 - sigma) * clean, slope = slopeAndOffset(mean + 1) - slopeAndOffset(mean);
        const double spread = engine::spreadOf(levels, type, {step, 0.7});
        QVERIFY(spread > 0.02);
        QVERIFY(std::abs(slopeAndOffset(mean) - (1 - next) * clean) < 1e-5);
        QVERIFY(std::abs(slope * slope * sigma * sigma + spread * spread - next * next) < 1e-4);
    }

    void aRowIsTheSameInEveryBatch_A027_data()
    {
        QTest::addColumn<SdeType>("type");
        QTest::addColumn<int>("elements");
        for (const auto& [name, type] : {std::pair("sde", SdeType::Sde), std::pair("cps", SdeType::Cps), std::pair("dance_sde", SdeType::DanceSde)}) {
            for (const int elements : {1, 7, 37 * 41, 3 * 163 * 167})
                QTest::addRow("A-027 %s, %d elements", name, elements) << type << elements;
        }
    }
    void aRowIsTheSameInEveryBatch_A027()
    {
        QFETCH(SdeType, type);
        QFETCH(int, elements);
        const std::vector<RowStep> rows = {{0, 0.7}, {2, 0.9}, {1, 0.3}, {2, 0.7}, {0, 0.0}};
        const at::Tensor latents = at::randn({5, elements}), noise = at::randn({5, elements});
        at::Tensor velocity = at::randn({5, elements}).requires_grad_();
        at::set_num_threads(4);
        const auto all = stepOf(type, rows, latents, velocity);
        const at::Tensor next = engine::nextLatents(all, noise), logProb = engine::logProbability(all, next);
        logProb.sum().backward();
        for (const int threads : {1, 4}) {
            at::set_num_threads(threads);
            for (std::int64_t row = 0; row < 4; ++row) {
                const auto only = [row](const at::Tensor& values) { return values.detach().narrow(0, row, 1).clone(); };
                at::Tensor own = only(velocity).requires_grad_();
                const auto single = stepOf(type, {rows[static_cast<std::size_t>(row)]}, only(latents), own);
                QVERIFY(at::equal(single.mean, only(all.mean)));
                QVERIFY(at::equal(engine::nextLatents(single, only(noise)), only(next)));
                const at::Tensor ownLogProb = engine::logProbability(single, only(next));
                QVERIFY(at::equal(ownLogProb, only(logProb)));
                ownLogProb.sum().backward();
                QVERIFY(at::equal(own.grad(), only(velocity.grad())));
            }
        }
    }

    void gradientsReachTheVelocityAlone_A022()
    {
        const at::Tensor latents = at::randn({2, 6}), noise = at::randn({2, 6});
        at::Tensor velocity = at::randn({2, 6}).requires_grad_();
        const auto taken = stepOf(SdeType::Sde, {{1, 0.7}, {2, 0.7}}, latents, velocity);
        // x' = mean + g n moves with the mean; were it not a constant, the log-probability would not depend on the velocity.
        engine::logProbability(taken, engine::nextLatents(taken, noise)).sum().backward();
        QVERIFY(velocity.grad().abs().min().item<double>() > 0);
    }

    void withoutNoiseItIsTheOde_A029_data() { types(); }
    void withoutNoiseItIsTheOde_A029()
    {
        QFETCH(SdeType, type);
        const at::Tensor latents = at::randn({2, 5}), velocity = at::randn({2, 5});
        const auto taken = stepOf(type, {{0, 0.0}, {0, 0.0}}, latents, velocity);
        const auto levels = anchorLevels();
        QVERIFY(at::allclose(taken.mean, engine::makeSolver(levels)->next(latents, velocity), 1e-5, 1e-6));
        QVERIFY(at::equal(engine::nextLatents(taken, at::randn({2, 5})), taken.mean));
        const at::Tensor logProb = engine::logProbability(taken, taken.mean + 1);
        if (type == SdeType::Cps)
            QVERIFY(at::allclose(logProb, at::full({2}, -1.0)));
        else
            QVERIFY(!logProb.defined());
    }

    void rowsWithoutNoiseHaveNoDensity_A029()
    {
        at::Tensor velocity = at::randn({2, 5}).requires_grad_();
        const auto taken = stepOf(SdeType::Sde, {{1, 0.0}, {1, 0.7}}, at::randn({2, 5}), velocity);
        const at::Tensor logProb = engine::logProbability(taken, at::randn({2, 5}));
        QCOMPARE(valueOf(logProb[0]), 0.0);
        QVERIFY(std::isfinite(valueOf(logProb[1])) && valueOf(logProb[1]) != 0);
        logProb.sum().backward();
        QVERIFY(velocity.grad().isfinite().all().item<bool>());
        QCOMPARE(valueOf(velocity.grad()[0].abs().sum()), 0.0);
    }

    void timestepsAreFoundPerRow_A027()
    {
        const auto levels = anchorLevels();
        const auto rows = engine::rowSteps(levels, at::tensor({602.15057, 1000.0, 8.92857}, at::kFloat), 0.5);
        QCOMPARE(rows.size(), 3U);
        QCOMPARE(rows[0].step, 2);
        QCOMPARE(rows[1].step, 0);
        QCOMPARE(rows[2].step, 3);
        QCOMPARE(rows[1].noiseLevel, 0.5);
    }

    void misuseIsNamed_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<int>("which");
        QTest::newRow("A-030 another kind") << QByteArray("\"ode\"; known: sde, cps, dance_sde") << 0;
        QTest::newRow("A-021 latents in bfloat16") << QByteArray("float32; convert latents and velocity to it (given: BFloat16)") << 1;
        QTest::newRow("A-021 a velocity in float64") << QByteArray("(given: Double)") << 2;
        QTest::newRow("A-030 a timestep for each token") << QByteArray("2 dims; give one timestep for each row") << 3;
        QTest::newRow("A-020 indices for timesteps") << QByteArray("timesteps of Long are not accepted") << 4;
        QTest::newRow("A-012 a timestep of another table") << QByteArray("timestep 500 is none of the 4 of the table; the nearest is 602.15") << 5;
        QTest::newRow("A-027 a row without a step") << QByteArray("1 rows needs as many rows") << 6;
        QTest::newRow("A-021 a step past the end") << QByteArray("step 4 is outside of a table of 4 steps") << 7;
        QTest::newRow("A-021 a negative noise level") << QByteArray("noise level is -0.5") << 8;
        QTest::newRow("A-021 no number for a noise level") << QByteArray("noise level is NaN") << 9;
        QTest::newRow("A-021 inverted levels") << QByteArray("invert_sigmas") << 10;
        QTest::newRow("A-021 UniPC's levels") << QByteArray("UniPC") << 11;
    }
    void misuseIsNamed()
    {
        QFETCH(QByteArray, said);
        QFETCH(int, which);
        const at::Tensor x = at::zeros({2, 3});
        const std::vector<RowStep> rows = {{0, 0.7}, {1, 0.7}};
        const auto in = [&](const engine::NoiseLevels& levels) { engine::transition(levels, {}, x, x, rows); };
        const std::vector<std::function<void()>> uses = {[&] { engine::sdeType("ode"); }, [&] { stepOf(SdeType::Sde, rows, x.to(at::kBFloat16), x); },
            [&] { stepOf(SdeType::Sde, rows, x, x.to(at::kDouble)); }, [&] { engine::rowSteps(anchorLevels(), at::full({2, 4}, 1000.0), 0.7); },
            [&] { engine::rowSteps(anchorLevels(), at::zeros({2}, at::kLong), 0.7); }, [&] { engine::rowSteps(anchorLevels(), at::full({2}, 500.0), 0.7); },
            [&] { stepOf(SdeType::Sde, {{0, 0.7}}, x, x); }, [&] { stepOf(SdeType::Sde, {{0, 0.7}, {4, 0.7}}, x, x); },
            [&] { stepOf(SdeType::Sde, {{0, 0.7}, {0, -0.5}}, x, x); }, [&] { stepOf(SdeType::Sde, {{0, std::nan("")}, {0, 0.5}}, x, x); },
            [&] { in(engine::noiseLevels({.isInverted = true}, engine::Spacing::Timesteps, 4, 0)); },
            [&] { in(engine::noiseLevels({.uniPc = engine::UniPcConfig {}}, engine::Spacing::Timesteps, 4, 0)); }};
        const std::string refusal = refusalOf(uses.at(static_cast<std::size_t>(which)));
        QVERIFY2(refusal.find(said.toStdString()) != std::string::npos, refusal.c_str());
    }

private:
    static void types()
    {
        QTest::addColumn<SdeType>("type");
        QTest::newRow("sde") << SdeType::Sde;
        QTest::newRow("cps") << SdeType::Cps;
        QTest::newRow("dance_sde") << SdeType::DanceSde;
    }
};

QTEST_GUILESS_MAIN(StochasticStepTest)
#include "tst_stochastic_step.moc"
