// What updates train on: noise and timesteps of each algorithm, and the samples that rollouts draw.
#include "engine/rounds/experience.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>

#include <QtTest>

#include <algorithm>
#include <set>

using contract::PolicySettings;
using engine::DrawnRows;
using engine::TrainedRows;

namespace {

constexpr std::int64_t kSteps = 6, kSamples = 4;

class Source final : public engine::RolloutSource {
public:
    /// @param trained timesteps of the model that is trained
    explicit Source(const engine::TimestepRange& trained = {})
        : m_trained(trained)
    {
    }
    std::int64_t prompts() const override { return 3; }
    std::vector<std::int64_t> latentShape() const override { return {1, 2, 2}; }
    engine::NoiseLevels levels(std::int64_t steps) const override { return engine::noiseLevels({}, engine::Spacing::Sigmas, steps, 0); }
    engine::TrainingLevels trainingLevels() const override { return engine::trainingLevels({}); }
    engine::TimestepRange trainedTimesteps() const override { return m_trained; }
    engine::Conditions conditions(const std::vector<std::int64_t>&) const override { return {}; }
    at::Tensor rewards(const at::Tensor&, const std::vector<std::uint64_t>&, const std::vector<std::int64_t>&) override { return {}; }

private:
    engine::TimestepRange m_trained;
};

engine::GuidedModel identity()
{
    return {[](const engine::ModelInput& input, double) { return input.latents; }, {}, 1000, c10::Device(c10::DeviceType::CPU)};
}

PolicySettings settingsOf(const char* algorithm)
{
    PolicySettings settings;
    settings.algorithm = algorithm;
    settings.isForward = true;
    settings.rollout.prompts = 2;
    settings.rollout.samplesPerPrompt = kSamples;
    settings.rollout.steps = kSteps;
    settings.forward.nftTimestepFraction = 0.5;
    settings.forward.timesteps.count = 3;
    return settings;
}

/// What an update trains on of rows @p first … of a round.
TrainedRows rowsOf(const PolicySettings& settings, std::int64_t first, std::int64_t count, std::int64_t round = 0,
    const engine::TimestepRange& trained = {})
{
    Source source(trained);
    const engine::GuidedModel model = identity();
    engine::LoneGroup lone;
    const engine::Rollout rollout(settings, source, model, lone, 7, c10::Device(c10::DeviceType::CPU));
    DrawnRows drawn;
    for (std::int64_t row = first; row < first + count; ++row)
        drawn.rows.push_back(static_cast<std::uint64_t>(row));
    drawn.clean = at::linspace(0, 1, 8 * 4).view({8, 1, 2, 2}).narrow(0, first, count);
    return engine::noisedExperience(settings, rollout, source.trainingLevels(), 7)->rows(std::move(drawn), round);
}

/// The stochastic steps of a round's rows, drawn on one rank.
std::vector<engine::SdeWindow> windowsOf(const PolicySettings& settings, const engine::TimestepRange& trained)
{
    Source source(trained);
    const engine::GuidedModel model = identity();
    engine::LoneGroup lone;
    return engine::Rollout(settings, source, model, lone, 7, c10::Device(c10::DeviceType::CPU)).plannedRows(0, 8, 0).windows;
}

at::Tensor noiseOf(const TrainedRows& rows, std::int64_t row, std::int64_t timestep) { return rows.fields.at("noise")[row][timestep]; }

}  // namespace

class ExperienceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsAreTheSameInAnyMicroBatch_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        for (const char* name : {"diffusion_nft", "awm", "dgpo", "dpo"})
            QTest::newRow(name) << QByteArray(name);
    }
    void rowsAreTheSameInAnyMicroBatch()
    {
        QFETCH(QByteArray, algorithm);
        const PolicySettings settings = settingsOf(algorithm.constData());
        const TrainedRows all = rowsOf(settings, 0, 8), second = rowsOf(settings, 4, 4), later = rowsOf(settings, 0, 8, 1);
        QVERIFY(at::equal(all.latents.narrow(0, 4, 4), second.latents));
        QVERIFY(!at::equal(all.latents, later.latents));
        for (std::size_t timestep = 0; timestep < all.timesteps.size(); ++timestep)
            QVERIFY(std::equal(second.timesteps[timestep].begin(), second.timesteps[timestep].end(), all.timesteps[timestep].begin() + 4));
    }

    /// A pass has the rows with the prompt and then the rows with the negative prompt; a loss differentiates both.
    void bothHalvesOfAGuidedPassCarryGradient_A053_A055()
    {
        const engine::GuidedModel model({}, {engine::Guidance::Classifier, 3.0}, 1000, c10::Device(c10::DeviceType::CPU));
        at::Tensor prediction = at::linspace(-1, 2, 2 * 2 * 4).view({4, 1, 2, 2}).set_requires_grad(true);
        const at::Tensor positive = prediction.detach().narrow(0, 0, 2), negative = prediction.detach().narrow(0, 2, 2);
        const at::Tensor velocity = model.velocity(prediction);
        QVERIFY(at::allclose(velocity.detach(), negative + 3 * (positive - negative)));
        velocity.sum().backward();
        QVERIFY(at::allclose(prediction.grad().narrow(0, 0, 2), at::full({2, 1, 2, 2}, 3.0F)));
        QVERIFY(at::allclose(prediction.grad().narrow(0, 2, 2), at::full({2, 1, 2, 2}, -2.0F)));
    }

    /// Nothing is rounded to the model's dtype between two steps, nor where the trajectory is stored.
    void trajectoriesAreFloat32_A046()
    {
        const auto isExact = [](const at::Tensor& values) {
            return values.scalar_type() == at::kFloat && !at::equal(values, values.to(at::kBFloat16).to(at::kFloat));
        };
        bool seesFloat32 = true;
        const engine::GuidedModel model(
            [&](const engine::ModelInput& input, double) {
                seesFloat32 &= isExact(input.latents);
                return input.latents.to(at::kBFloat16).to(at::kFloat);  // what a model in bfloat16 computes from them
            },
            {}, 1000, c10::Device(c10::DeviceType::CPU));
        PolicySettings settings = settingsOf("flow_grpo");
        settings.isForward = false;
        Source source;
        engine::LoneGroup lone;
        engine::Rollout rollout(settings, source, model, lone, 7, c10::Device(c10::DeviceType::CPU));
        rollout.begin(0, 8);
        const DrawnRows drawn = rollout.draw(0, 8, 0);
        QVERIFY(seesFloat32);
        QCOMPARE(drawn.latents.size(1), kSteps);
        for (std::int64_t step = 0; step < kSteps; ++step)
            QVERIFY(isExact(drawn.latents.select(1, step)));
        QVERIFY(isExact(drawn.clean));
        QCOMPARE(drawn.logProbs.scalar_type(), at::kFloat);
    }

    /// x_t = (1 - t) x_0 + t noise, with t the timestep over 1000.
    void latentsAreNoised_A064_A066_data() { rowsAreTheSameInAnyMicroBatch_data(); }
    void latentsAreNoised_A064_A066()
    {
        QFETCH(QByteArray, algorithm);
        const TrainedRows rows = rowsOf(settingsOf(algorithm.constData()), 0, 8);
        for (std::int64_t row = 0; row < 8; ++row) {
            for (std::int64_t timestep = 0; timestep < rows.latents.size(1); ++timestep) {
                const double t = rows.timesteps[static_cast<std::size_t>(timestep)][static_cast<std::size_t>(row)] / 1000;
                QVERIFY(t > 0 && t <= 1);
                const at::Tensor clean = rows.fields.at("clean")[row][timestep];
                QVERIFY(at::allclose(rows.latents[row][timestep], (1 - t) * clean + t * noiseOf(rows, row, timestep), 1e-5, 1e-6));
            }
        }
    }

    void nftTakesSomeOfTheSamplersTimesteps_A065()
    {
        const TrainedRows rows = rowsOf(settingsOf("diffusion_nft"), 0, 8);
        QCOMPARE(rows.timesteps.size(), std::size_t(kSteps / 2));
        const auto table = Source().levels(kSteps).timesteps;
        std::set<std::set<double>> choices;
        for (std::size_t row = 0; row < 8; ++row) {
            std::set<double> chosen;
            for (const auto& timestep : rows.timesteps)
                chosen.insert(timestep[row]);
            QCOMPARE(chosen.size(), std::size_t(kSteps / 2));  // no timestep twice
            for (const double each : chosen)
                QVERIFY(std::ranges::find(table, static_cast<float>(each)) != table.end());
            choices.insert(chosen);
        }
        QVERIFY(choices.size() > 1);  // each row has its own
        QVERIFY(!at::equal(noiseOf(rows, 0, 0), noiseOf(rows, 1, 0)) && !at::equal(noiseOf(rows, 0, 0), noiseOf(rows, 0, 1)));
    }

    /// Of two transformers, each for a range of noise levels, one is trained: at its own levels only.
    void timestepsAreThoseOfTheTrainedModel_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        QTest::addColumn<QByteArray>("strategy");
        QTest::addColumn<double>("shift");
        QTest::newRow("A-065 diffusion_nft") << QByteArray("diffusion_nft") << QByteArray() << 1.0;
        for (const char* strategy : {"uniform", "logit_normal", "discrete", "discrete_with_init", "discrete_wo_init"})
            QTest::addRow("A-146 awm, %s", strategy) << QByteArray("awm") << QByteArray(strategy) << 1.0;
        QTest::newRow("A-146 awm, uniform and shifted") << QByteArray("awm") << QByteArray("uniform") << 3.0;
    }
    void timestepsAreThoseOfTheTrainedModel()
    {
        QFETCH(QByteArray, algorithm);
        QFETCH(QByteArray, strategy);
        QFETCH(double, shift);
        constexpr double kBoundary = 600;
        PolicySettings settings = settingsOf(algorithm.constData());
        settings.forward.nftTimestepFraction = 1;
        settings.rollout.steps = 24;
        if (!strategy.isEmpty())
            settings.forward.timesteps.strategy = strategy.toStdString();
        settings.forward.timesteps.shift = shift;
        for (const auto& range : {engine::TimestepRange {.lowest = kBoundary}, engine::TimestepRange {.end = kBoundary}}) {
            double least = 1000, most = 0;
            for (std::int64_t round = 0; round < 20; ++round) {
                for (const auto& timesteps : rowsOf(settings, 0, 8, round, range).timesteps) {
                    for (const double timestep : timesteps) {
                        QVERIFY2(range.contains(timestep), QByteArray::number(timestep));
                        least = std::min(least, timestep);
                        most = std::max(most, timestep);
                    }
                }
            }
            QVERIFY2(most - least > 100, QByteArray::number(least) + " to " + QByteArray::number(most));  // not one of them only
        }
    }

    void stochasticStepsAreThoseOfTheTrainedModel_data()
    {
        // Six steps, at the timesteps 1000, 833, 667, 500, 333 and 167.
        QTest::addColumn<double>("boundary");
        QTest::addColumn<bool>("isHigh");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("branches");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        QTest::addColumn<QByteArray>("error");
        const auto row = [](const char* name) -> QTestData& { return QTest::newRow(name); };
        row("A-040 all of high noise") << 600.0 << true << 0 << 0 << 0 << 3 << QByteArray();
        row("A-040 all of low noise but the last") << 600.0 << false << 0 << 0 << 3 << 5 << QByteArray();
        row("A-041 a window in high noise") << 600.0 << true << 2 << 0 << 0 << 3 << QByteArray();
        row("A-041 a window in low noise") << 600.0 << false << 2 << 0 << 3 << 5 << QByteArray();
        row("A-147 branches in low noise") << 600.0 << false << 0 << 2 << 3 << 5 << QByteArray();
        row("A-041 no window in so few") << 600.0 << false << 3 << 0 << 0 << 0
            << QByteArray("rollout.window_begin and rollout.window_end: of the 6 steps of a sample, the transformer that model.component trains "
                          "makes steps 4 to 6; choose among these, counted from 0, or set model.component to the other one");
        row("A-040 only the last") << 300.0 << false << 0 << 0 << 0 << 0
            << QByteArray("rollout.steps = 6: of the 6 steps of a sample, the transformer that model.component trains makes steps 6 to 6; set more "
                          "steps, since the last one has no noise");
        row("A-040 none") << 100.0 << false << 0 << 0 << 0 << 0
            << QByteArray("rollout.steps = 6: of the 6 steps of a sample, the transformer that model.component trains makes none; set more steps");
    }
    void stochasticStepsAreThoseOfTheTrainedModel()
    {
        QFETCH(double, boundary);
        QFETCH(bool, isHigh);
        QFETCH(int, window);
        QFETCH(int, branches);
        QFETCH(int, begin);
        QFETCH(int, end);
        QFETCH(QByteArray, error);
        PolicySettings settings = settingsOf("flow_grpo");
        settings.isForward = false;
        settings.rollout.windowSize = window;
        settings.rollout.branchSteps = branches;
        const engine::TimestepRange trained = isHigh ? engine::TimestepRange {.lowest = boundary} : engine::TimestepRange {.end = boundary};
        try {
            std::set<std::int64_t> steps;
            for (const engine::SdeWindow& each : windowsOf(settings, trained)) {
                QCOMPARE(each.size(), std::int64_t {branches > 0 ? 1 : window > 0 ? window : end - begin});
                for (std::int64_t step = each.start; step < each.end; ++step)
                    steps.insert(step);
            }
            QVERIFY(error.isEmpty() && !steps.empty());
            QVERIFY(*steps.begin() >= begin && *steps.rbegin() < end);
        } catch (const std::exception& caught) {
            QCOMPARE(QByteArray(caught.what()), error);
        }
    }

    void dgposPromptsShareNoise_A146()
    {
        const TrainedRows rows = rowsOf(settingsOf("dgpo"), 0, 8);
        for (std::int64_t row = 0; row < 8; ++row) {
            for (std::int64_t timestep = 0; timestep < 3; ++timestep)
                QVERIFY(at::equal(noiseOf(rows, row, timestep), noiseOf(rows, row / kSamples * kSamples, 0)));
        }
        QVERIFY(!at::equal(noiseOf(rows, 0, 0), noiseOf(rows, kSamples, 0)));
        for (const auto& timestep : rows.timesteps)
            QCOMPARE(std::ranges::count(timestep, timestep.front()), 8);
    }

    void awmsRowsHaveNoiseOfTheirOwn_A146()
    {
        const TrainedRows rows = rowsOf(settingsOf("awm"), 0, 8);
        QVERIFY(!at::equal(noiseOf(rows, 0, 0), noiseOf(rows, 1, 0)) && !at::equal(noiseOf(rows, 0, 0), noiseOf(rows, 0, 1)));
        for (const auto& timestep : rows.timesteps)
            QCOMPARE(std::ranges::count(timestep, timestep.front()), 8);
    }

    void pairsShareNoiseAndTimestep_A062_A063()
    {
        const TrainedRows rows = rowsOf(settingsOf("dpo"), 0, 8);
        for (std::int64_t row = 0; row < 8; row += 2) {
            for (std::int64_t timestep = 0; timestep < 3; ++timestep) {
                QVERIFY(at::equal(noiseOf(rows, row, timestep), noiseOf(rows, row + 1, timestep)));
                const auto& values = rows.timesteps[static_cast<std::size_t>(timestep)];
                QCOMPARE(values[static_cast<std::size_t>(row)], values[static_cast<std::size_t>(row) + 1]);
            }
        }
        QVERIFY(!at::equal(noiseOf(rows, 0, 0), noiseOf(rows, 2, 0)));
        QVERIFY(rows.timesteps[0][0] != rows.timesteps[0][2] && rows.timesteps[0][0] != rows.timesteps[1][0]);
    }
};

QTEST_APPLESS_MAIN(ExperienceTest)
#include "tst_experience.moc"
