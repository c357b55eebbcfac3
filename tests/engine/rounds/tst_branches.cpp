// Branching rollouts: what the samples of a prompt share is computed once, and is the same on any number of ranks.
#include <ATen/ATen.h>

#include "engine/rounds/branches.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

#include <cstdio>
#include <map>

using engine::Branches;
using tests::kCpu;

namespace {

contract::RolloutSettings rollout()
{
    contract::RolloutSettings settings;
    settings.prompts = 5;
    settings.samplesPerPrompt = 3;
    settings.steps = 6;
    settings.noiseLevel = 0.7;
    settings.windowBegin = 1;
    settings.windowEnd = 6;
    settings.branchSteps = 3;
    return settings;
}

engine::NoiseLevels levels()
{
    return {.sigmas = {1, 0.9F, 0.75F, 0.6F, 0.4F, 0.2F, 0}, .timesteps = {1000, 900, 750, 600, 400, 200}, .trainTimesteps = 1000};
}

at::Tensor noise() { return at::arange(5 * 2, at::kFloat).view({5, 1, 2, 1}); }

/// A step that shows where a latent has been: prompt and step are its digits.
at::Tensor after(const at::Tensor& latent, std::int64_t prompt, std::int64_t step) { return latent * 10 + static_cast<double>(prompt + step); }

at::Tensor expectedPrefix(std::int64_t prompt, std::int64_t steps)
{
    at::Tensor latent = noise()[prompt];
    for (std::int64_t step = 0; step < steps; ++step)
        latent = after(latent, prompt, step);
    return latent;
}

}  // namespace

class BranchesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void prefixesAreComputedOnce_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("A-147 1 rank") << 1;
        QTest::newRow("A-147 2 ranks") << 2;
        QTest::newRow("A-147 4 ranks, two without a prompt of their own") << 4;
    }
    void prefixesAreComputedOnce()
    {
        QFETCH(int, ranks);
        const auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::SharedMemory, [&](engine::Mesh& mesh) {
            Branches branches(rollout(), levels(), engine::SdeType::Sde, 3);
            std::int64_t passes = 0;
            std::map<std::pair<std::int64_t, std::int64_t>, int> visits;
            branches.begin(4, noise(), 2, mesh.data(), [&](const std::vector<std::int64_t>& prompts, const at::Tensor& latents, std::int64_t step) {
                ++passes;
                std::vector<at::Tensor> next;
                for (std::size_t i = 0; i < prompts.size(); ++i) {
                    ++visits[{prompts[i], step}];
                    next.push_back(after(latents[static_cast<std::int64_t>(i)], prompts[i], step));
                }
                return at::stack(next);
            });
            const engine::SdeWindow steps = branches.steps(4);
            bool isRight = steps.size() == 3 && steps.start >= 1 && steps.end <= 6;
            const std::int64_t micros = 3;  // of 2, 2 and 1 prompts
            isRight &= passes == (micros + ranks - 1) / ranks * (steps.end - 1);  // equally many on all ranks
            for (const auto& [visit, count] : visits)
                isRight &= count == 1;
            for (std::int64_t row = 0; row < rollout().rows(); ++row) {
                const std::int64_t step = branches.stepOf(row).start;
                isRight &= at::equal(branches.prefix(row, step), expectedPrefix(rollout().promptOf(row), step));
                isRight &= branches.firstStep(row) == step && branches.stepOf(row).size() == 1;
            }
            return isRight;
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }

    void rowsComeGroupByGroup_A147()
    {
        const contract::RolloutSettings settings = rollout();
        QCOMPARE(settings.rows(), 45);
        for (std::int64_t row = 0; row < settings.rows(); ++row) {
            const std::int64_t group = row / 3;
            QCOMPARE(settings.promptOf(row), group % 5);
            QCOMPARE(settings.branchOf(row), group / 5);
        }
    }

    void stepsThatExploreMoreWeighMore_data()
    {
        QTest::addColumn<bool>("isNoiseAware");
        QTest::newRow("A-147 weighted") << true;
        QTest::newRow("A-147 switched off") << false;
    }
    void stepsThatExploreMoreWeighMore()
    {
        QFETCH(bool, isNoiseAware);
        contract::RolloutSettings settings = rollout();
        settings.isNoiseAware = isNoiseAware;
        engine::LoneGroup lone;
        Branches branches(settings, levels(), engine::SdeType::Sde, 3);
        branches.begin(0, noise(), 5, lone, [](const auto&, const at::Tensor& latents, std::int64_t) { return latents; });
        const std::int64_t first = branches.steps(0).start;
        std::vector<double> spreads;
        for (std::int64_t step = first; step < first + 3; ++step) {
            const auto at = static_cast<std::size_t>(step);
            const double sigma = levels().sigmas[at], next = levels().sigmas[at + 1];
            spreads.push_back(0.7 * std::sqrt(sigma / (1 - sigma)) * std::sqrt(sigma - next));
        }
        const double mean = (spreads[0] + spreads[1] + spreads[2]) / 3;
        for (std::int64_t row = 0; row < settings.rows(); ++row) {
            const double expected = isNoiseAware ? spreads[static_cast<std::size_t>(settings.branchOf(row))] / mean : 1;
            QVERIFY(std::abs(branches.weight(row) - expected) < 1e-6);
        }
    }
};

QTEST_GUILESS_MAIN(BranchesTest)
#include "tst_branches.moc"
