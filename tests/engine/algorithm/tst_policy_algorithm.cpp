// The policy algorithms as objects: what they need, what they report, and what is missing.
#include <ATen/ATen.h>

#include "engine/algorithm/policy_algorithm.h"
#include "tests/engine/algorithm/wave.h"

#include <QtTest>

#include <set>

using contract::PolicySettings;
using engine::NamedTensors;
using tests::wave;

namespace {

PolicySettings settingsOf(const std::string& algorithm)
{
    PolicySettings settings;
    settings.algorithm = algorithm;
    settings.loss = algorithm == "flow_dppo" ? contract::PolicyLoss::FlowDppo
        : algorithm == "grpo_guard"          ? contract::PolicyLoss::GrpoGuard
                                             : contract::PolicyLoss::FlowGrpo;
    return settings;
}

const NamedTensors& outputs()
{
    static const NamedTensors all {{"log_probs", wave({3}, 0)}, {"prev_sample_mean", wave({3, 4}, 1)},
        {"std_dev_t", at::tensor({0.5, 0.6, 0.7}).view({3, 1})}, {"transition_std", at::tensor({0.1, 0.2, 0.3}).view({3, 1})},
        {"sqrt_dt", at::tensor({0.3, 0.4, 0.5})}, {"noise_pred", wave({3, 4}, 2)}};
    return all;
}

const NamedTensors& fields()
{
    static const NamedTensors all {{"old_log_probs", wave({3}, 0.1)}, {"advantages", wave({3}, 3)},
        {"old_prev_sample_mean", wave({3, 4}, 1.1)}, {"ref_prev_sample_mean", wave({3, 4}, 1.3)},
        {"teacher_prev_sample_mean", wave({3, 4}, 1.5)}, {"teacher_noise_pred", wave({3, 4}, 2.5)}};
    return all;
}

/// Only what the algorithm says that it takes.
NamedTensors only(const NamedTensors& all, const std::vector<std::string>& names)
{
    NamedTensors some;
    for (const std::string& name : names)
        some[name] = all.at(name);
    return some;
}

double lossOf(const PolicySettings& settings, const NamedTensors& given = fields())
{
    return engine::makePolicyAlgorithm(settings)->loss(outputs(), given).loss.item<double>();
}

}  // namespace

class PolicyAlgorithmTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsDeclaredIsEnoughAndComesBack_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        QTest::addColumn<bool>("hasOthers");
        for (const char* algorithm : {"flow_grpo", "dance_grpo", "mix_grpo", "flow_dppo", "grpo_guard"}) {
            QTest::addRow("E-015 %s", algorithm) << QByteArray(algorithm) << false;
            QTest::addRow("E-015 A-093 %s with a penalty and a teacher", algorithm) << QByteArray(algorithm) << true;
        }
    }
    void whatIsDeclaredIsEnoughAndComesBack()
    {
        QFETCH(QByteArray, algorithm);
        QFETCH(bool, hasOthers);
        for (const auto mode : {contract::DistillMode::Kl, contract::DistillMode::FlowMse}) {
            PolicySettings settings = settingsOf(algorithm.toStdString());
            if (hasOthers) {
                settings.klCoefficient = 0.1;
                settings.distill = mode;
            }
            const auto object = engine::makePolicyAlgorithm(settings);
            QCOMPARE(std::string(object->name()), algorithm.toStdString());
            QCOMPARE(object->needs().passes.contains("ref"), hasOthers);
            QCOMPARE(object->needs().teacher, hasOthers);
            QVERIFY(object->needs().stochasticSteps);
            const engine::LossInputs inputs = object->inputs();
            const auto loss = object->loss(only(outputs(), inputs.outputs), only(fields(), inputs.fields));
            std::set<std::string> found;
            for (const auto& [name, value] : loss.metrics)
                found.insert(name);
            const auto declared = object->metrics();
            QCOMPARE(found, std::set<std::string>(declared.begin(), declared.end()));
            for (const std::string& field : inputs.fields) {
                NamedTensors fewer = only(fields(), inputs.fields);
                fewer.erase(field);
                QVERIFY_THROWS_EXCEPTION(std::invalid_argument, object->loss(outputs(), fewer));
            }
        }
    }

    void whatIsMissingIsNamedWithWhatThereIs_E015_E154()
    {
        try {
            engine::makePolicyAlgorithm(settingsOf("grpo_guard"))->loss({{"log_probs", at::zeros({1})}}, {{"advantages", at::zeros({1})}});
            QFAIL("nothing is missing");
        } catch (const std::invalid_argument& error) {
            QCOMPARE(QByteArray(error.what()),
                QByteArray("the loss of grpo_guard lacks outputs of the model (prev_sample_mean, std_dev_t, transition_std, sqrt_dt) or fields of "
                           "the rollout (old_log_probs, old_prev_sample_mean); there are outputs log_probs and fields advantages"));
        }
    }

    void thePublishedScaleCountsTheStepTwice_A082()
    {
        // The spread of cps and dance_sde steps is the deviation itself; the published losses multiply it by √-dt once more.
        PolicySettings settings = settingsOf("grpo_guard");
        settings.clip = 0.5;
        const double corrected = lossOf(settings);
        settings.matchesReference = true;
        const double published = lossOf(settings);
        QVERIFY(std::abs(corrected - published) > 1e-3);
        // The same numbers by hand.
        const at::Tensor spread = outputs().at("std_dev_t").view({3}) * outputs().at("sqrt_dt");
        const at::Tensor drift = (outputs().at("prev_sample_mean") - fields().at("old_prev_sample_mean")).square().mean(1) / (2 * spread.square());
        const at::Tensor ratio = ((outputs().at("log_probs") - fields().at("old_log_probs") + drift) * spread).exp();
        const at::Tensor advantages = fields().at("advantages");
        const at::Tensor loss = at::maximum(-advantages * ratio, -advantages * ratio.clamp(0.5, 1.5)) / outputs().at("sqrt_dt").square();
        QVERIFY(std::abs(published - loss.mean().item<double>()) < 1e-5);
    }

    void aPenaltyMayCountWholeSteps_A090()
    {
        PolicySettings settings = settingsOf("flow_grpo");
        const double without = lossOf(settings);
        settings.klCoefficient = 0.5;
        const at::Tensor squares = (outputs().at("prev_sample_mean") - fields().at("ref_prev_sample_mean")).square();
        for (const auto& [usesDt, std] : {std::pair(false, "std_dev_t"), std::pair(true, "transition_std")}) {
            settings.klUsesDt = usesDt;
            const double penalty = (squares / (2 * outputs().at(std).square())).mean().item<double>();
            QVERIFY(std::abs(lossOf(settings) - (without + 0.5 * penalty)) < 1e-5 * std::max(1.0, penalty));
        }
    }

    void flagsOfAdvantagesReachEveryAlgorithm_A072()
    {
        for (const char* algorithm : {"flow_grpo", "dance_grpo", "mix_grpo", "flow_dppo", "grpo_guard"}) {
            PolicySettings settings = settingsOf(algorithm);
            settings.dividesByStd = settings.usesGlobalStd = false;
            const engine::AdvantageOptions options = engine::makePolicyAlgorithm(settings)->advantages();
            QVERIFY(!options.dividesByStd && !options.usesGlobalStd);
        }
    }

    void rejectionAtAnUpdateMultipliesTheWeightsThereAre_A104()
    {
        PolicySettings settings = settingsOf("flow_grpo");
        settings.clip = 0.9;
        settings.bypassesOldPolicy = true;
        settings.correction = {.importance = "token", .rejections = "token_k1", .rejectionBounds = "1.05"};
        NamedTensors given = fields();
        given["old_log_probs"] = outputs().at("log_probs") - at::tensor({0.0, 1.0, 0.01});  // the second row is rejected
        given["rollout_is_weights"] = at::tensor({2.0, 3.0, 5.0});
        const at::Tensor ratio = at::tensor({0.0, 0.0, 0.01}).exp(), advantages = fields().at("advantages");
        const double expected = (-advantages * ratio * at::tensor({2.0, 0.0, 5.0})).mean().item<double>();
        QVERIFY(std::abs(lossOf(settings, given) - expected) < 1e-5);
        settings.bypassesOldPolicy = false;  // corrected once for the round, outside the loss
        QVERIFY(std::abs(lossOf(settings, given) - expected) > 0.1);
    }
};

QTEST_GUILESS_MAIN(PolicyAlgorithmTest)
#include "tst_policy_algorithm.moc"
