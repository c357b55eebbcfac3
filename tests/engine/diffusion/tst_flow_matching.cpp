// The linear path from data to noise, its loss, and sampling back along it.
#include <ATen/ATen.h>

#include "engine/diffusion/flow_matching.h"
#include "engine/diffusion/guided_sampler.h"

#include <QtTest>

#include <numeric>

namespace {

std::vector<std::uint64_t> firstRows(std::int64_t count)
{
    std::vector<std::uint64_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

/// A model with the exact velocity towards one image per label: v = (x - x_0) / σ. The null label's image is 0.
class KnowingModel final : public engine::Model {
public:
    explicit KnowingModel(at::Tensor images)
        : m_images(std::move(images))
    {
    }
    std::vector<engine::UnitSpec> units() const override { return {{"root", {{"unused", {16}, 0, false}}}}; }
    engine::Var forward(engine::Tape& tape, const engine::ModelInput& input) const override
    {
        const at::Tensor target = m_images.index_select(0, input.labels);
        return tape.input((input.latents - target) / input.sigmas.view({-1, 1, 1, 1}));
    }
    std::int64_t nullLabel() const override { return m_images.size(0) - 1; }
    double forwardFlops(const engine::ModelInput&) const override { return 0; }
    std::map<std::string, std::string> shapeOptions() const override { return {}; }

private:
    at::Tensor m_images;
};

}  // namespace

class FlowMatchingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noisyImagesLieOnTheStraightPath()
    {
        const at::Tensor clean = at::randn({6, 1, 4, 4}), labels = at::arange(6);
        const auto batch = engine::noiseBatch(clean, labels, firstRows(6), 11, 3, 0, 10);
        // x_σ = (1-σ) x_0 + σ noise and v = noise - x_0, so x_σ - σ v = x_0.
        const at::Tensor back = batch.noisy - batch.sigmas.view({-1, 1, 1, 1}) * batch.target;
        QVERIFY(at::allclose(back, clean, 1e-5, 1e-5));
        QVERIFY(batch.sigmas.ge(0).all().item<bool>() && batch.sigmas.lt(1).all().item<bool>());
        QVERIFY(at::equal(batch.labels, labels));
    }

    void theLossOfEachPlaceHasItsWeight()
    {
        const at::Tensor velocity = at::randn({2, 3, 4, 4}).requires_grad_(), target = at::randn({2, 3, 4, 4});
        at::Tensor weights = at::rand({2, 1, 4, 4});
        weights[1] = weights[1] * 3;
        const at::Tensor expected = ((velocity - target).square() * weights).mean();
        expected.backward();
        const engine::FlowLoss loss = engine::flowLoss(velocity.detach(), target, {}, weights);
        QVERIFY(std::abs(loss.value - expected.item<double>()) < 1e-6);
        QVERIFY(at::allclose(loss.gradient, velocity.grad(), 1e-5, 1e-8));
        const engine::FlowLoss even = engine::flowLoss(velocity.detach(), target, {}, at::ones({2, 1, 1, 1}));
        QVERIFY(at::allclose(even.gradient, engine::flowLoss(velocity.detach(), target).gradient, 1e-6, 1e-9));
    }

    void drawsDependOnRowAndStepAlone()
    {
        const at::Tensor clean = at::zeros({4, 1, 4, 4}), labels = at::zeros({4}, at::kLong);
        const auto whole = engine::noiseBatch(clean, labels, {0, 1, 2, 3}, 11, 3, 0.5, 10);
        const auto part = engine::noiseBatch(clean.narrow(0, 0, 2), labels.narrow(0, 0, 2), {2, 3}, 11, 3, 0.5, 10);
        QVERIFY(at::equal(whole.target.narrow(0, 2, 2), part.target));
        QVERIFY(at::equal(whole.labels.narrow(0, 2, 2), part.labels));
        const auto next = engine::noiseBatch(clean, labels, {0, 1, 2, 3}, 11, 4, 0.5, 10);
        QVERIFY(!at::equal(whole.target, next.target));
    }

    void partOfTheNoiseLevelsIsDrawnAsAmongAll_data()
    {
        using Kind = engine::SigmaRule::Kind;
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<double>("shift");
        QTest::addColumn<double>("lowest");
        QTest::addColumn<double>("highest");
        for (const auto& [lowest, highest] : std::initializer_list<std::pair<double, double>> {{0, 0.875}, {0.875, 1}, {0.3, 0.4}}) {
            QTest::addRow("uniform, %g to %g", lowest, highest) << Kind::Uniform << 1.0 << lowest << highest;
            QTest::addRow("uniform, shifted, %g to %g", lowest, highest) << Kind::Uniform << 3.0 << lowest << highest;
            QTest::addRow("logit-normal, %g to %g", lowest, highest) << Kind::LogitNormal << 1.0 << lowest << highest;
            QTest::addRow("logit-normal, shifted, %g to %g", lowest, highest) << Kind::LogitNormal << 3.0 << lowest << highest;
        }
    }
    void partOfTheNoiseLevelsIsDrawnAsAmongAll()
    {
        QFETCH(engine::SigmaRule::Kind, kind);
        QFETCH(double, shift);
        QFETCH(double, lowest);
        QFETCH(double, highest);
        const auto sorted = [&](std::int64_t count, double from, double to) {
            const auto noised = engine::noiseRows(at::zeros({count, 1}), firstRows(count), 5, 0, {kind, shift, from, to});
            return std::get<0>(noised.sigmas.sort());
        };
        const at::Tensor all = sorted(200000, 0, 1), part = sorted(20000, lowest, highest);
        QVERIFY(part.ge(static_cast<float>(lowest)).all().item<bool>() && part.lt(static_cast<float>(highest)).all().item<bool>());
        // Kolmogorov-Smirnov distance to the draws of the full distribution that fall in the range; larger once in 1000 times.
        const at::Tensor expected = all.masked_select(all.ge(lowest).logical_and(all.lt(highest)));
        const auto partBelow = [](const at::Tensor& draws, const at::Tensor& at) {
            return at::searchsorted(draws, at).to(at::kDouble) / static_cast<double>(draws.numel());
        };
        const double distance = (partBelow(expected, expected) - partBelow(part, expected)).abs().max().item<double>();
        QVERIFY2(distance < 1.95 * std::sqrt(1.0 / 20000 + 1.0 / static_cast<double>(expected.numel())), qPrintable(QString::number(distance)));
    }

    void thatPartOfTheLabelsIsDropped()
    {
        const std::int64_t count = 4000;
        const at::Tensor clean = at::zeros({count, 1, 1, 1}), labels = at::zeros({count}, at::kLong);
        for (const double dropout : {0.0, 0.1, 1.0}) {
            const auto batch = engine::noiseBatch(clean, labels, firstRows(count), 1, 0, dropout, 10);
            const double part = batch.labels.eq(10).to(at::kDouble).mean().item<double>();
            const double deviation = std::sqrt(dropout * (1 - dropout) / static_cast<double>(count));
            QVERIFY2(std::abs(part - dropout) <= 4 * deviation, qPrintable(QString::number(part)));
        }
    }

    void theLossIsTheMeanSquareAndItsGradientAutograds()
    {
        const at::Tensor velocity = at::randn({2, 1, 4, 4}).requires_grad_(true), target = at::randn({2, 1, 4, 4});
        const at::Tensor expected = at::mse_loss(velocity, target);
        expected.backward();
        const at::Tensor memory = at::empty_like(target);
        for (const at::Tensor& gradient : {at::Tensor(), memory}) {
            const auto loss = engine::flowLoss(velocity.detach(), target, gradient);
            QVERIFY(std::abs(loss.value - expected.item<double>()) < 1e-6);
            QVERIFY(at::allclose(loss.gradient, velocity.grad(), 1e-5, 1e-7));
            QCOMPARE(loss.gradient.is_same(memory), gradient.defined());
        }
    }

    void samplesEndAtTheImageOfTheirLabel_data()
    {
        QTest::addColumn<double>("guidance");
        QTest::newRow("no guidance") << 1.0;
        QTest::newRow("guidance 2.5") << 2.5;
    }
    void samplesEndAtTheImageOfTheirLabel()
    {
        QFETCH(double, guidance);
        const at::Tensor images = at::cat({at::randn({3, 1, 4, 4}), at::zeros({1, 1, 4, 4})});
        const KnowingModel model(images);
        engine::LoneGroup group;
        engine::BufferPool pool(group, c10::Device(c10::DeviceType::CPU));
        engine::UnitSequence units(model.units(), group, pool, {}, {}, 0);
        const at::Tensor labels = at::tensor({2, 0, 1}, at::kLong);
        engine::Conditions conditions;
        conditions.positive.labels = labels;
        conditions.negative.emplace().labels = at::full_like(labels, model.nullLabel());
        const auto levels = engine::noiseLevels({}, engine::Spacing::Sigmas, 7, 0);
        const at::Tensor drawn = engine::sampleGuided(
            model, units, at::randn({3, 1, 4, 4}), conditions, levels, {engine::Guidance::Classifier, guidance});
        // Both velocity fields lead straight to their image, and guidance combines them linearly.
        const at::Tensor expected = images.index_select(0, labels) * guidance;
        QVERIFY(at::allclose(drawn, expected, 1e-4, 1e-4));
    }
};

QTEST_GUILESS_MAIN(FlowMatchingTest)
#include "tst_flow_matching.moc"
