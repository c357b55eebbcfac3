// What updates train on: noise and timesteps of each algorithm, and the samples that rollouts draw.
#include "engine/rounds/experience.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
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
    std::int64_t prompts() const override { return 3; }
    std::vector<std::int64_t> latentShape() const override { return {1, 2, 2}; }
    engine::NoiseLevels levels(std::int64_t steps) const override { return engine::noiseLevels({}, engine::Spacing::Sigmas, steps, 0); }
    engine::TrainingLevels trainingLevels() const override { return engine::trainingLevels({}); }
    engine::Conditions conditions(const std::vector<std::int64_t>&) const override { return {}; }
    at::Tensor rewards(const at::Tensor&, const std::vector<std::uint64_t>&, const std::vector<std::int64_t>&) override { return {}; }
};

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
TrainedRows rowsOf(const PolicySettings& settings, std::int64_t first, std::int64_t count, std::int64_t round = 0)
{
    Source source;
    const engine::GuidedModel model([](const engine::ModelInput& input) { return input.latents; }, {}, 1000, c10::Device(c10::DeviceType::CPU));
    engine::LoneGroup lone;
    const engine::Rollout rollout(settings, source, model, lone, 7, c10::Device(c10::DeviceType::CPU));
    DrawnRows drawn;
    for (std::int64_t row = first; row < first + count; ++row)
        drawn.rows.push_back(static_cast<std::uint64_t>(row));
    drawn.clean = at::linspace(0, 1, 8 * 4).view({8, 1, 2, 2}).narrow(0, first, count);
    return engine::noisedExperience(settings, rollout, source.trainingLevels(), 7)->rows(std::move(drawn), round);
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
