// What the goldens do not show of the losses: rows that do not depend on each other, scales, and what is refused.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include "engine/algorithm/loss/divergence_loss.h"
#include "engine/algorithm/loss/nft_loss.h"
#include "engine/algorithm/loss/policy_loss.h"
#include "engine/algorithm/loss/preference_loss.h"
#include "engine/algorithm/preference_pairs.h"
#include "engine/comm/errors.h"
#include "tests/engine/algorithm/wave.h"

#include <QtTest>

using engine::AlgorithmLoss;
using tests::wave;
using Rows = std::vector<std::int64_t>;

namespace {

double number(const at::Tensor& value) { return value.item<double>(); }

bool isClose(double a, double b, double tolerance = 1e-6) { return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b)); }

/// Four rows at four timesteps of their own.
struct Batch {
    engine::PolicyRows rows {wave({4}, 0) * 0.1, wave({4}, 1) * 0.1, wave({4}, 2)};
    engine::StepMeans means {wave({4, 2, 3}, 3), wave({4, 2, 3}, 3.1), at::tensor({0.3, 0.6, 0.2, 0.9}).view({4, 1, 1}).to(at::kFloat),
        at::tensor({0.2, 0.4, 0.3, 0.5}).to(at::kFloat)};

    Batch row(std::int64_t index) const
    {
        const auto part = [&](const at::Tensor& values) { return values.narrow(0, index, 1); };
        return {{part(rows.logProbs), part(rows.oldLogProbs), part(rows.advantages)},
            {part(means.mean), part(means.oldMean), part(means.transitionStd), part(means.sqrtDt)}};
    }
};

using PolicyLoss = AlgorithmLoss (*)(const Batch&);

AlgorithmLoss grpo(const Batch& batch) { return engine::flowGrpoLoss(batch.rows, {0.05, 5}); }
AlgorithmLoss dppo(const Batch& batch) { return engine::flowDppoLoss(batch.rows, batch.means, {0.01, true}); }
AlgorithmLoss guard(const Batch& batch) { return engine::grpoGuardLoss(batch.rows, batch.means, {0.002, 5}); }

template <typename Error>
QByteArray lossMessage(const std::function<void()>& body)
{
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class PolicyLossesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMicroBatchIsTheMeanOfItsRows_data()
    {
        QTest::addColumn<PolicyLoss>("lossOf");
        QTest::newRow("A-080 flow_grpo") << PolicyLoss(grpo);
        QTest::newRow("A-081 flow_dppo") << PolicyLoss(dppo);
        QTest::newRow("A-084 grpo_guard, rows at timesteps of their own") << PolicyLoss(guard);
    }
    void aMicroBatchIsTheMeanOfItsRows()
    {
        QFETCH(PolicyLoss, lossOf);
        const Batch batch;
        double sum = 0;
        for (std::int64_t row = 0; row < 4; ++row)
            sum += number(lossOf(batch.row(row)).loss);
        QVERIFY(isClose(number(lossOf(batch).loss), sum / 4));
    }

    void aRowAloneHasNoSpread_A080()
    {
        for (const PolicyLoss lossOf : {grpo, dppo, guard})
            QCOMPARE(number(lossOf(Batch().row(1)).metrics.at("actor/ratio_std")), 0.0);
    }

    void theFirstUpdateHasARatioOfOne_A080()
    {
        Batch batch;
        batch.rows.oldLogProbs = batch.rows.logProbs.clone();
        batch.means.oldMean = batch.means.mean.clone();
        for (const PolicyLoss lossOf : {grpo, dppo, guard}) {
            const AlgorithmLoss loss = lossOf(batch);
            QCOMPARE(number(loss.metrics.at("actor/ratio_mean")), 1.0);
            QCOMPARE(number(loss.metrics.at("actor/ratio_std")), 0.0);
            QCOMPARE(number(loss.metrics.at("actor/ppo_kl")), 0.0);
        }
    }

    void gradientsNeedNoModeOfTheCaller_A080()
    {
        const Batch batch;
        const auto gradient = [&] {
            return engine::differentiate(batch.rows.logProbs, [&](const at::Tensor& logProbs) {
                Batch moved = batch;
                moved.rows.logProbs = logProbs;
                return grpo(moved);
            });
        };
        const engine::LossGradient expected = gradient();
        QVERIFY(expected.gradient.count_nonzero().item<std::int64_t>() > 0);
        QVERIFY(!expected.loss.requires_grad());
        for (const bool isInference : {false, true}) {
            const c10::InferenceMode mode(isInference);
            const at::NoGradGuard noGrad;
            const auto found = gradient();
            QVERIFY(at::equal(found.gradient, expected.gradient));
            QVERIFY(at::equal(found.loss, expected.loss));
        }
        // A loss that the prediction has no part in.
        const auto none = engine::differentiate(batch.rows.logProbs, [&](const at::Tensor&) { return grpo(batch); });
        QVERIFY(at::equal(none.gradient, at::zeros({4})));
    }

    void divergencesAreMeansOverAllDims_data()
    {
        QTest::addColumn<QList<qint64>>("shape");
        QTest::newRow("A-090 rows of one dim") << QList<qint64> {3, 7};
        QTest::newRow("A-090 tokens") << QList<qint64> {3, 4, 5};
        QTest::newRow("A-090 images") << QList<qint64> {3, 2, 4, 4};
        QTest::newRow("A-090 videos") << QList<qint64> {3, 2, 2, 4, 4};
    }
    void divergencesAreMeansOverAllDims()
    {
        QFETCH(QList<qint64>, shape);
        const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
        std::vector<std::int64_t> perRow(sizes.size(), 1);
        perRow.front() = sizes.front();
        const at::Tensor mean = wave(sizes, 0), other = wave(sizes, 1), std = at::tensor({0.5, 1.0, 2.0}).to(at::kFloat).view(perRow);
        const double expected = number(((mean - other).square() / (2 * std.square())).mean());
        QVERIFY(isClose(number(engine::referenceKlLoss(mean, other, std).loss), expected));
        QVERIFY(isClose(number(engine::distillKlLoss(mean, other, std).loss), expected));
    }

    void anchorsOfDistillation_A091_A092()
    {
        const at::Tensor mean = wave({2, 3, 4}, 0);
        QVERIFY(isClose(number(engine::distillKlLoss(mean, mean + 2, at::ones({})).loss), 2));
        QVERIFY(isClose(number(engine::distillFlowLoss(mean, mean + 3).loss), 9));
    }

    void optimalityOfRewards_data()
    {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<QList<double>>("expected");
        QTest::newRow("A-074 continuous") << QByteArray("continuous") << QList<double> {0, 0, 0.5, 1, 1};
        QTest::newRow("A-074 positive_only") << QByteArray("positive_only") << QList<double> {0.5, 0.5, 0.5, 1, 1};
        QTest::newRow("A-074 negative_only") << QByteArray("negative_only") << QList<double> {0, 0, 0.5, 0.5, 0.5};
        QTest::newRow("A-074 one_only") << QByteArray("one_only") << QList<double> {0.5, 0.5, 0.5, 0.6, 0.6};
        QTest::newRow("A-074 binary") << QByteArray("binary") << QList<double> {0.4, 0.4, 0.5, 0.6, 0.6};
    }
    void optimalityOfRewards()
    {
        QFETCH(QByteArray, mode);
        QFETCH(QList<double>, expected);
        const at::Tensor found = engine::rewardProbability(
            at::tensor({-10.0, -5.0, 0.0, 5.0, 10.0}), engine::advantageMode(mode.toStdString()), 5);
        for (qsizetype i = 0; i < expected.size(); ++i)
            QVERIFY(isClose(found[i].item<double>(), expected[i]));
    }

    void unknownModesAreNamed_A112()
    {
        const auto message = lossMessage<engine::EngineError>([] { engine::advantageMode("ternary"); });
        QVERIFY2(message.contains("\"ternary\"") && message.contains("one_only"), message);
    }

    void pairsHaveTheBestAndTheWorst_A076()
    {
        // Ties keep their order: the first is the best, the last the worst. Group 7 has one sample only.
        QCOMPARE(engine::preferencePairs({3, 7, 1, 3, 1, 3}, {0.5, 9, 1, 0.5, 2, 0.5}), (Rows {0, 5, 4, 2}));
        QVERIFY(lossMessage<engine::EngineError>([] { engine::preferencePairs({1, 2}, {0, 1}); }).contains("more samples per prompt"));
        QVERIFY(lossMessage<std::invalid_argument>([] { engine::preferencePairs({1, 1}, {0}); }).contains("1 scores"));
    }

    void pairsAreChecked_data()
    {
        QTest::addColumn<QList<double>>("rewards");
        QTest::addColumn<Rows>("groups");
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("A-086 ties") << QList<double> {1, 1, 2, 0} << Rows {4, 4, 5, 5} << QByteArray();
        QTest::newRow("A-086 prompts unknown") << QList<double> {1, 0} << Rows {} << QByteArray();
        QTest::newRow("A-086 odd") << QList<double> {1, 0, 1} << Rows {} << QByteArray("3 samples");
        QTest::newRow("A-086 none") << QList<double> {} << Rows {} << QByteArray("0 samples");
        QTest::newRow("A-086 two prompts") << QList<double> {1, 0, 1, 0} << Rows {4, 4, 4, 5} << QByteArray("pair 1 has samples of two prompts");
        QTest::newRow("A-086 rejected is better") << QList<double> {1, 0, 0.25, 0.5} << Rows {4, 4, 5, 5} << QByteArray("pair 1 has a chosen sample of reward 0.25");
    }
    void pairsAreChecked()
    {
        QFETCH(QList<double>, rewards);
        QFETCH(Rows, groups);
        QFETCH(QByteArray, part);
        const auto message = lossMessage<engine::EngineError>([&] { engine::checkPairs({rewards.begin(), rewards.end()}, groups); });
        QVERIFY2(part.isEmpty() ? message.isEmpty() : message.contains(part), message);
    }

    void preferencesNeedPairs_A086()
    {
        const at::Tensor three = wave({3, 2}, 0);
        QVERIFY(lossMessage<std::invalid_argument>([&] { engine::preferenceLoss({three, three, three, three}, 1); }).contains("3 rows"));
    }
};

QTEST_GUILESS_MAIN(PolicyLossesTest)
#include "tst_policy_losses.moc"
