// Noising of clean latents at a timestep, and noise that depends only on the row.
#include <ATen/ATen.h>

#include "engine/diffusion/forward_noising.h"
#include "tests/engine/shard/late_device.h"

#include <QtTest>

#include <stdexcept>

class ForwardNoisingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noiseIsMixedInByTheTimestep_data()
    {
        QTest::addColumn<int>("trainTimesteps");
        QTest::newRow("E-158 1000 training timesteps") << 1000;
        QTest::newRow("E-158 another schedule") << 400;  // not a constant of 1000
    }
    void noiseIsMixedInByTheTimestep()
    {
        QFETCH(int, trainTimesteps);
        const at::Tensor clean = at::full({3, 2, 4}, 2.0), noise = at::full({3, 2, 4}, -6.0);
        const at::Tensor timesteps = at::tensor({0, trainTimesteps / 4, trainTimesteps}, at::kLong);
        const auto result = engine::noised(clean, timesteps, noise, trainTimesteps);
        QCOMPARE(result.times.sizes(), at::IntArrayRef({3, 1, 1}));
        QVERIFY(result.times.flatten().equal(at::tensor({0.0F, 0.25F, 1.0F})));
        QVERIFY(result.noisy.select(2, 0).allclose(at::tensor({2.0F, 0.0F, -6.0F}).unsqueeze(1).expand({3, 2})));
        const auto fromHalf = engine::noised(clean.to(at::kHalf), timesteps.to(at::kFloat), noise, trainTimesteps);
        QCOMPARE(fromHalf.noisy.scalar_type(), at::kFloat);
        QVERIFY(fromHalf.noisy.equal(result.noisy));
    }

    void aBatchMayBringNoiseForEachTimestepOrOneForAll_E158()
    {
        const at::Tensor clean = at::zeros({2, 4}), each = at::arange(24).view({2, 3, 4}), one = at::arange(8).view({2, 4});
        QVERIFY(engine::givenNoise(each, clean, 1).equal(at::tensor({4, 5, 6, 7, 16, 17, 18, 19}, at::kLong).view({2, 4})));
        QVERIFY(engine::givenNoise(one, clean, 1).equal(one));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::givenNoise(at::zeros({2, 5}), clean, 0));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::givenNoise(at::zeros({2, 3, 5}), clean, 0));
    }

    void drawnNoiseDoesNotDependOnTheSplit_E158()
    {
        const at::Tensor clean = at::zeros({6, 3, 5});
        const at::Tensor whole = engine::drawnNoise(clean, {0, 1, 2, 3, 4, 5}, 7, 11, 2);
        QVERIFY(engine::drawnNoise(clean.narrow(0, 0, 2), {3, 4}, 7, 11, 2).equal(whole.narrow(0, 3, 2)));
        QCOMPARE(whole.scalar_type(), at::kFloat);
        for (const at::Tensor& other : {engine::drawnNoise(clean, {0, 1, 2, 3, 4, 5}, 8, 11, 2),
                 engine::drawnNoise(clean, {0, 1, 2, 3, 4, 5}, 7, 12, 2),
                 engine::drawnNoise(clean, {0, 1, 2, 3, 4, 5}, 7, 11, 1)})
            QVERIFY(other.ne(whole).all().item<bool>());
    }

    void drawnNoiseIsUploadedWithoutAWait_data()
    {
        QTest::addColumn<int>("rows");
        QTest::newRow("defect-39: noise of a pass") << 2;
    }
    void drawnNoiseIsUploadedWithoutAWait()
    {
        QFETCH(int, rows);
        const std::vector<std::uint64_t> indices(static_cast<std::size_t>(rows), 3);
        const at::Tensor clean = at::zeros({rows, 5}), there = clean.to(tests::lateDevice());
        const int before = tests::lateCounts().waits;
        const at::Tensor noise = engine::drawnNoise(there, indices, 7, 11, 2);
        QCOMPARE(tests::lateCounts().waits, before);
        QCOMPARE(noise.device(), tests::lateDevice());
        QVERIFY(noise.cpu().equal(engine::drawnNoise(clean, indices, 7, 11, 2)));
    }
};

QTEST_GUILESS_MAIN(ForwardNoisingTest)
#include "tst_forward_noising.moc"
