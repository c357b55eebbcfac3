// Policy optimization through the worker: rounds on any number of ranks, from a checkpoint on, and after a resume.
#include "tests/engine/worker/policy_run.h"
#include "tests/support/whole_test.h"

#include <ATen/ops/equal.h>

#include <QtTest>

#include <cmath>
#include <map>
#include <memory>

using tests::Options;
using tests::WorkerRun;

namespace {

const std::vector<std::string> kClipped = {"actor/ppo_kl", "actor/pg_clipfrac", "actor/pg_clipfrac_higher", "actor/pg_clipfrac_lower",
    "actor/ratio_mean", "actor/ratio_std"};
const std::vector<std::string> kDivergence = {"actor/ppo_kl", "actor/approx_kl", "actor/ratio_mean", "actor/ratio_std", "actor/ratio_min",
    "actor/ratio_max", "actor/kl_new_old_mean", "actor/kl_new_old_max", "actor/kl_mask_fraction", "actor/pos_rm_fraction",
    "actor/neg_rm_fraction", "actor/masked_fraction", "actor/unmasked_fraction"};

}  // namespace

class PolicyTrainingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<tests::PolicyBase> m_base;

    contract::Experiment experiment(int ranks, const Options& options = {}) const { return m_base->experiment(ranks, options); }

private Q_SLOTS:
    void initTestCase() { m_base = std::make_unique<tests::PolicyBase>(); }
    void cleanupTestCase() { m_base.reset(); }

    /// Also: the first update of a round repeats the rollout's passes bit for bit, and the second does not.
    void anAlgorithmTrainsAndJournalsItsMetrics_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        QTest::addColumn<std::vector<std::string>>("metrics");
        const auto named = [](const char* name) { return std::pair<const char*, contract::OptionValue>("algorithm.name", std::string(name)); };
        const std::pair<const char*, contract::OptionValue> window = {"rollout.window_size", std::int64_t {2}}, end = {"rollout.window_end", std::int64_t {4}};
        QTest::newRow("A-080 A-095 E-153 E-155 flow_grpo") << 1 << Options {} << kClipped;
        QTest::newRow("A-041 A-027 A-046 A-053 A-055 flow_grpo, a window of each row, bf16, guidance")
            << 2 << Options {window, end, {"engine.compute_dtype", std::string("bf16")}, {"rollout.guidance", 2.0}} << kClipped;
        QTest::newRow("A-025 dance_grpo") << 1 << Options {named("dance_grpo")} << kClipped;
        QTest::newRow("A-042 A-045 mix_grpo") << 1 << Options {named("mix_grpo"), window, end} << kClipped;
        QTest::newRow("A-043 mix_grpo, progressive") << 1 << Options {named("mix_grpo"), window, end, {"rollout.window_strategy", std::string("progressive")}} << kClipped;
        QTest::newRow("A-147 flow_grpo, branching") << 2 << Options {{"rollout.branch_steps", std::int64_t {2}}, end} << kClipped;
        QTest::newRow("A-081 flow_dppo") << 2 << Options {named("flow_dppo")} << kDivergence;
        QTest::newRow("A-083 grpo_guard, cps") << 1 << Options {named("grpo_guard"), {"rollout.sde_type", std::string("cps")}} << kClipped;
    }
    void anAlgorithmTrainsAndJournalsItsMetrics()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        QFETCH(std::vector<std::string>, metrics);
        WorkerRun run(experiment(ranks, options));
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        for (const std::string& name : metrics)
            QVERIFY2(run.metric(name).size() == 4, name.c_str());
        for (const char* name : {"loss", "grad_norm", "lr", "perf/tflops"})
            QVERIFY2(run.metric(name).size() == 4, name);
        const auto ratios = run.metric("actor/ratio_mean"), spreads = run.metric("actor/ratio_std");
        for (const std::int64_t first : {1, 3}) {
            QVERIFY2(ratios.at(first) == 1.0, qPrintable(QString::number(ratios.at(first), 'g', 17)));  // exactly
            QVERIFY(spreads.at(first) == 0.0);
        }
        QVERIFY(spreads.at(4) > 0);
        // One record of each round, before its first update.
        const auto rewards = run.metric("critic/rewards/mean");
        QCOMPARE(rewards.size(), std::size_t {2});
        QVERIFY(rewards.contains(0) && rewards.contains(2));
        QCOMPARE(run.metric("critic/rewards/group_size").at(0), 4.0);
    }

    /// Two rounds of two updates each, over which the learning rate falls by half a cosine; its steps are those rounds.
    void theLearningRateChangesOncePerRound_E160()
    {
        WorkerRun run(experiment(1, {{"schedule.type", std::string("cosine")}, {"optim.lr", 1e-4}, {"policy.schedule_by_round", true}}));
        QCOMPARE(run.run(), std::vector {0});
        const auto rates = run.metric("lr");
        QCOMPARE(rates.size(), std::size_t {4});
        for (const std::int64_t step : {1, 2})
            QCOMPARE(rates.at(step), 1e-4);
        for (const std::int64_t step : {3, 4})
            QCOMPARE(rates.at(step), 0.5e-4);
    }

    /// Recomputed log-probabilities are those that the sampler recorded, so that a run with them is the same to the last bit.
    void recomputingChangesNothing_data()
    {
        QTest::addColumn<Options>("options");
        QTest::newRow("A-095 A-105 E-145 E-147 flow_grpo") << Options {{"engine.compute_dtype", std::string("bf16")}};
        QTest::newRow("A-095 A-106 flow_dppo") << Options {{"algorithm.name", std::string("flow_dppo")}, {"rollout.guidance", 2.0}};
    }
    void recomputingChangesNothing()
    {
        QFETCH(Options, options);
        WorkerRun plain(experiment(2, options));
        QCOMPARE(plain.run(), (std::vector {0, 0}));
        options.insert(options.end(), {{"policy.recompute_old", true}, {"correction.importance", std::string("sequence")}});
        WorkerRun recomputed(experiment(2, options));
        QCOMPARE(recomputed.run(), (std::vector {0, 0}));
        using Values = std::map<std::int64_t, double>;
        QCOMPARE(recomputed.metric("rollout_corr/logprob_abs_diff_max"), (Values {{0, 0}, {2, 0}}));
        QCOMPARE(recomputed.metric("rollout_corr/rollout_is_mean"), (Values {{0, 1}, {2, 1}}));
        QVERIFY(plain.metric("rollout_corr/logprob_abs_diff_max").empty());
        QCOMPARE(recomputed.metric("loss"), plain.metric("loss"));
    }

    /// The first update of a round trains on all of it; the next leaves out what has moved.
    void samplesThatHaveMovedAreLeftOut_A100_A104()
    {
        WorkerRun run(experiment(2, {{"correction.bypass", true}, {"correction.reject", std::string("token_k2")},
            {"correction.reject_threshold", std::string("1e-12")}, {"policy.epochs", std::int64_t {2}}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        const auto rejected = run.metric("rollout_corr/rollout_rs_masked_fraction");
        QCOMPARE(rejected.at(1), 0.0);
        QVERIFY(rejected.at(4) > 0.5);
        QVERIFY(run.metric("grad_norm").at(1) > 0);
    }

    /// With guidance every pass has a second half, of negative prompts, and samples differ.
    void guidanceDoublesTheOperations_A055_A132()
    {
        std::map<double, double> operations, rewards;
        for (const double guidance : {1.0, 2.0}) {
            WorkerRun run(experiment(1, {{"rollout.guidance", guidance}}));
            QCOMPARE(run.run(), std::vector {0});
            operations[guidance] = run.metric("perf/tflops").at(2) * run.metric("time/step_ms").at(2);
            rewards[guidance] = run.metric("critic/rewards/mean").at(0);
        }
        QVERIFY2(std::abs(operations[2] / operations[1] - 2) < 1e-6, qPrintable(QString::number(operations[2] / operations[1])));
        QVERIFY2(std::abs(rewards[2] - rewards[1]) > 1e-2 * rewards[1], qPrintable(QStringLiteral("%1 and %2").arg(rewards[1]).arg(rewards[2])));
    }

    /// The teacher is another model, whose checkpoint says how large it is.
    void aModelLearnsFromATeacher_data()
    {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<QByteArray>("metric");
        QTest::newRow("A-091 distill_kl") << QByteArray("distill_kl") << QByteArray("actor/distill_kl_loss");
        if (tests::isWhole())
            QTest::newRow("A-092 distill_fm_mse") << QByteArray("distill_fm_mse") << QByteArray("actor/distill_fm_mse_loss");
    }
    void aModelLearnsFromATeacher()
    {
        QFETCH(QByteArray, mode);
        QFETCH(QByteArray, metric);
        contract::Experiment images = tests::smallExperiment(1);
        for (const auto& [key, value] : Options {{"model.width", std::int64_t {48}}, {"optim.lr", 2e-3}, {"ema.decay", 0.0}, {"run.seed", std::int64_t {3}}})
            images.set(key, value);
        WorkerRun teacher(images);
        QCOMPARE(teacher.run(), (std::vector {0}));
        const Options options = {{"algorithm.name", std::string("distill")}, {"distill.mode", mode.toStdString()},
            {"distill.teacher", (teacher.folder().checkpoint(20)).string()}, {"optim.lr", 2e-3}, {"run.total_steps", std::int64_t {24}}};
        WorkerRun run(experiment(2, options));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        const auto distances = run.metric(metric.toStdString());
        QVERIFY2(distances.at(24) < 0.7 * distances.at(1), qPrintable(QStringLiteral("%1, then %2").arg(distances.at(1)).arg(distances.at(24))));
    }

    void thePenaltyKeepsTheModelNearTheReference_A089_E163()
    {
        std::map<double, double> distances;
        for (const double coefficient : {1e-6, 1e3}) {
            WorkerRun run(experiment(2, {{"policy.kl_coef", coefficient}, {"run.total_steps", std::int64_t {8}}}));
            QCOMPARE(run.run(), (std::vector {0, 0}));
            const auto distance = run.metric("actor/kl_loss");
            QVERIFY(distance.at(1) == 0.0);  // exactly: nothing has moved
            QVERIFY(distance.at(2) > 0.0);
            QVERIFY(std::abs(run.metric("kl_coef").at(8) - coefficient) <= 1e-6 * coefficient);
            distances[coefficient] = distance.at(8);
        }
        QVERIFY2(distances[1e3] < 0.5 * distances[1e-6], qPrintable(QStringLiteral("%1 and %2").arg(distances[1e3]).arg(distances[1e-6])));
    }

    /// With hardly any noise in their steps, samples that begin alike end alike.
    void samplesOfAPromptMayShareTheirNoise_A047()
    {
        std::map<bool, double> spreads;
        for (const bool isShared : {false, true}) {
            WorkerRun run(experiment(2, {{"rollout.shared_noise", isShared}, {"rollout.noise_level", 1e-5}, {"run.total_steps", std::int64_t {2}}}));
            QCOMPARE(run.run(), (std::vector {0, 0}));
            spreads[isShared] = run.metric("critic/rewards/std_mean").at(0);
        }
        QVERIFY2(spreads[true] < 1e-2 * spreads[false], qPrintable(QStringLiteral("%1 and %2").arg(spreads[true]).arg(spreads[false])));
    }

    void theWeightOfTheReferenceFollowsTheDivergence()
    {
        WorkerRun run(experiment(2, {{"policy.kl_coef", 0.5}, {"policy.kl_target", 1e-9}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        const auto coefficients = run.metric("kl_coef");
        // Nothing has moved in the first update; then all is above the target.
        QVERIFY(std::abs(coefficients.at(2) - 0.45) < 1e-6 && std::abs(coefficients.at(3) - 0.495) < 1e-6 && std::abs(coefficients.at(4) - 0.5445) < 1e-6);
    }

    void aRunStopsWhenTheWatchedRewardDoesNotRise_data() { tests::onlyInTheWholeTest(); }
    void aRunStopsWhenTheWatchedRewardDoesNotRise()
    {
        WorkerRun run(experiment(2, {{"gold.reward", std::string("judge")}, {"gold.patience", std::int64_t {1}}, {"run.total_steps", std::int64_t {60}}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        const auto gold = run.metric("critic/gold/mean");
        QVERIFY(gold.size() >= 2 && gold.size() < 30);
        QVERIFY(std::next(gold.rbegin())->second >= gold.rbegin()->second);  // the last round was the first without a gain
        QCOMPARE(run.lastText("end", "outcome"), std::string("stopped"));
        QCOMPARE(run.lastText("end", "cause"), std::string("the watched reward has not risen for 1 round"));
        QCOMPARE(run.folder().checkpointSteps().back(), gold.rbegin()->first + 1);  // after the next update
    }

    void anyNumberOfRanksDrawsAndTrainsTheSame_A110_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        QTest::addColumn<int>("branchSteps");
        QTest::newRow("flow_grpo") << QByteArray("flow_grpo") << 0;
        if (tests::isWhole()) {
            for (const char* name : {"dgpo", "diffusion_nft", "dpo", "awm"})
                QTest::newRow(name) << QByteArray(name) << 0;
        }
        QTest::newRow("A-147 branching") << QByteArray("flow_grpo") << 3;
    }
    void anyNumberOfRanksDrawsAndTrainsTheSame_A110()
    {
        QFETCH(QByteArray, algorithm);
        QFETCH(int, branchSteps);
        std::map<std::string, std::map<std::int64_t, double>> expected;
        for (const int ranks : {1, 4}) {
            WorkerRun run(experiment(ranks, {{"run.total_steps", std::int64_t {5}}, {"rollout.prompts", std::int64_t {8}}, {"algorithm.name", algorithm.toStdString()},
                {"policy.mini_batches", std::int64_t {1}}, {"policy.epochs", std::int64_t {2}}, {"rollout.window_end", std::int64_t {4}},
                {"rollout.branch_steps", std::int64_t {branchSteps}}}));
            QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
            for (const char* name : {"critic/rewards/mean", "critic/rewards/max", "loss", "grad_norm"}) {
                const auto values = run.metric(name);
                QVERIFY2(!values.empty(), name);
                if (ranks == 1)
                    expected[name] = values;
                QCOMPARE(values.size(), expected[name].size());
                for (const auto& [step, value] : values) {
                    const double right = expected[name].at(step);
                    QVERIFY2(std::abs(value - right) <= 1e-3 * std::abs(right) + 1e-6,
                        qPrintable(QStringLiteral("%1 at step %2: %3, on one rank %4").arg(QLatin1String(name)).arg(step).arg(value).arg(right)));
                }
            }
        }
    }

    void shufflingMovesWholePasses()
    {
        std::map<bool, std::map<std::string, at::Tensor>> weights;
        for (const bool shuffles : {false, true}) {
            WorkerRun run(experiment(1, {{"policy.shuffle", shuffles}, {"policy.epochs", std::int64_t {2}}}));
            QCOMPARE(run.run(), std::vector {0});
            QCOMPARE(run.metric("critic/rewards/mean").size(), std::size_t {1});  // four updates of one round
            QVERIFY(run.metric("actor/ratio_mean").at(1) == 1.0);
            weights[shuffles] = run.checkpoint(4);
        }
        bool areEqual = true;
        for (const auto& [name, tensor] : weights[false])
            areEqual = areEqual && at::equal(tensor, weights[true].at(name));
        QVERIFY(!areEqual);
    }
};

QTEST_GUILESS_MAIN(PolicyTrainingTest)
#include "tst_policy_training.moc"
