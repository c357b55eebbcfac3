// Which samples of a round are shown to the user.
#include "engine/rounds/round_samples.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <QtTest>

using engine::bestAndWorst;

class RoundSamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theyAreTheBestAndTheWorstOfThePromptsThatFaredBestAndWorst()
    {
        // Means 0.5, 0.75, 0.25. The highest reward of all is of the second prompt, the lowest of the first.
        const at::Tensor rewards = at::tensor({0.F, 1.F, 0.5F, 0.75F, 1.5F, 0.F, 0.125F, 0.25F, 0.375F});
        const auto samples = bestAndWorst(rewards, 3);
        QCOMPARE(samples.size(), std::size_t {4});
        const std::vector<std::int64_t> rows = {4, 5, 8, 6};
        const std::vector<double> values = {1.5, 0, 0.375, 0.125}, means = {0.75, 0.75, 0.25, 0.25};
        for (std::size_t i = 0; i < samples.size(); ++i) {
            QCOMPARE(samples[i].row, rows[i]);
            QCOMPARE(samples[i].reward, values[i]);
            QCOMPARE(samples[i].promptReward, means[i]);
            QCOMPARE(samples[i].promptPlace, i < 2 ? 1 : 3);
            QCOMPARE(samples[i].place, i % 2 == 0 ? 1 : 3);
            QVERIFY(samples[i].prompts == 3 && samples[i].samples == 3);
        }
    }

    void onePromptGivesTwo()
    {
        const auto samples = bestAndWorst(at::tensor({0.25F, 0.5F}), 2);
        QCOMPARE(samples.size(), std::size_t {2});
        QVERIFY(samples[0].row == 1 && samples[1].row == 0);
        QVERIFY(samples[0].promptPlace == 1 && samples[1].promptPlace == 1);
    }

    void equalRewardsAreInTheOrderOfTheirRows()
    {
        const auto samples = bestAndWorst(at::tensor({1.F, 1.F, 1.F, 1.F, 0.F, 0.F}), 2);
        QVERIFY(samples[0].row == 0 && samples[1].row == 1 && samples[2].row == 4 && samples[3].row == 5);
    }

    void thereIsNoBestAmongEqualOnes() { QVERIFY(bestAndWorst(at::full({6}, 0.5F), 2).empty()); }
};

QTEST_APPLESS_MAIN(RoundSamplesTest)
#include "tst_round_samples.moc"
