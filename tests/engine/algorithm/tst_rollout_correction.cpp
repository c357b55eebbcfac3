// Weights and rejection of samples that another policy has drawn, beyond the goldens.
#include <ATen/ATen.h>

#include "engine/algorithm/rollout_correction.h"

#include <QtTest>

#include <limits>

using engine::rolloutCorrection;

namespace {

contract::CorrectionSpec spec(const contract::CorrectionTexts& texts)
{
    contract::Problem problem;
    const auto parsed = contract::parseCorrection(texts, problem);
    if (!parsed)
        qFatal("%s", problem.message.c_str());
    return *parsed;
}

QByteArray correctionRefusal(const at::Tensor& policy, const at::Tensor& rollout)
{
    try {
        rolloutCorrection(policy, rollout, {});
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class RolloutCorrectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSamePolicyIsNotCorrected_A102_A103()
    {
        const at::Tensor logProbs = at::linspace(-2, 1, 12).view({3, 4});
        const auto result = rolloutCorrection(logProbs, logProbs,
            spec({.importance = "sequence", .rejections = "token_k1,seq_sum_k2,seq_max_k3", .rejectionBounds = "1.0001,1e-6,1e-6"}));
        QVERIFY(at::equal(result.weights(), at::ones({3, 4})));
        QCOMPARE(result.metrics.at("rollout_corr/kl").item<double>(), 0.0);
        QCOMPARE(result.metrics.at("rollout_corr/rollout_rs_masked_fraction").item<double>(), 0.0);
    }

    void onlyWhatIsAskedForWeighs_A104()
    {
        const at::Tensor policy = at::zeros({2, 2}), rollout = at::tensor({0.0, 0.0, -3.0, 0.0}).view({2, 2});
        const auto none = rolloutCorrection(policy, rollout, {});
        QVERIFY(!none.weights().defined());
        QVERIFY(none.metrics.contains("rollout_corr/chi2_seq"));
        const auto weighted = rolloutCorrection(policy, rollout, spec({.importance = "token"}));
        QVERIFY(at::allclose(weighted.weights(), at::tensor({1.0, 1.0, 2.0, 1.0}, at::kDouble).view({2, 2})));
        const auto rejected = rolloutCorrection(policy, rollout, spec({.rejections = "token_k1", .rejectionBounds = "2"}));
        QVERIFY(at::equal(rejected.weights(), at::tensor({1.0, 1.0, 0.0, 1.0}, at::kDouble).view({2, 2})));
        const auto both = rolloutCorrection(policy, rollout, spec({.importance = "token", .rejections = "seq_mean_k1", .rejectionBounds = "2"}));
        QVERIFY(at::allclose(both.weights(), at::tensor({1.0, 1.0, 0.0, 0.0}, at::kDouble).view({2, 2})));
    }

    void whatIsNotANumberIsRejected_A103()
    {
        const at::Tensor policy = at::tensor({0.0, std::numeric_limits<double>::quiet_NaN()}).view({2, 1});
        for (const char* mode : {"token_k1", "token_k2", "seq_mean_k3"}) {
            const auto result = rolloutCorrection(policy, at::zeros({2, 1}, at::kDouble), spec({.rejections = mode, .rejectionBounds = "2"}));
            QVERIFY(at::equal(result.keep, at::tensor({1.0, 0.0}, at::kDouble).view({2, 1})));
        }
    }

    void normalisedWeightsHaveAMeanOfOne_A102()
    {
        const at::Tensor policy = at::tensor({0.5, -0.5, 0.2, 0.1}, at::kDouble).view({2, 2});
        const auto result = rolloutCorrection(policy, at::zeros({2, 2}, at::kDouble), spec({.importance = "token", .normalisesWeights = true}));
        QVERIFY(std::abs(result.importance.mean().item<double>() - 1) < 1e-9);
        // Weights that are all 0 stay so.
        const auto none = rolloutCorrection(
            policy, policy - 9, spec({.importance = "token", .importanceBounds = "0.5_2", .normalisesWeights = true}));
        QVERIFY(at::equal(none.importance, at::zeros({2, 2}, at::kDouble)));
        QCOMPARE(none.metrics.at("rollout_corr/rollout_is_batch_norm_factor").item<double>(), 1.0);
    }

    void noGradientGoesThroughWeights_A102()
    {
        const at::Tensor policy = at::zeros({2, 2}).requires_grad_();
        const auto result = rolloutCorrection(policy, at::ones({2, 2}), spec({.importance = "token", .rejections = "token_k2", .rejectionBounds = "9"}));
        QVERIFY(!result.weights().requires_grad());
    }

    void logProbabilitiesMustMatch_A101()
    {
        QVERIFY(correctionRefusal(at::zeros({2, 2}), {}).contains("let rollouts record them"));
        QVERIFY(correctionRefusal(at::zeros({2, 2}), at::zeros({2, 3})).contains("identical shapes"));
        QVERIFY(correctionRefusal(at::zeros({2}), at::zeros({2})).contains("[B, T]"));
    }
};

QTEST_GUILESS_MAIN(RolloutCorrectionTest)
#include "tst_rollout_correction.moc"
