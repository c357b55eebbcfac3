// Checkpoints between two updates of a round: the run goes on from them as if it had never stopped.
#include "engine/contract/run/control.h"
#include "tests/engine/worker/policy_run.h"
#include "tests/support/whole_test.h"

#include <ATen/ops/equal.h>

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

using tests::Options;
using tests::WorkerRun;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSteps = 6, kMiddle = 3;  // rounds begin at the steps 0, 2 and 4

/// Metrics of a run by name and step.
using Metrics = std::map<std::string, std::map<std::int64_t, double>>;

constexpr char kBase[] = "base";  ///< the checkpoint of the policy's base, in a row

}  // namespace

class RoundResumeTest : public QObject {
    Q_OBJECT

    std::unique_ptr<tests::PolicyBase> m_base;

    /// With a checkpoint in the middle of the second round.
    contract::Experiment experiment(int ranks, const Options& options = {}) const
    {
        Options all = {{"run.total_steps", kSteps}, {"run.deterministic", true}, {"checkpoint.every", kMiddle}};
        all.insert(all.end(), options.begin(), options.end());
        contract::Experiment experiment = m_base->experiment(ranks, all);
        if (experiment.text("distill.teacher") == kBase)
            experiment.set("distill.teacher", m_base->checkpoint());
        return experiment;
    }

    static Metrics metricsOf(const WorkerRun& run)
    {
        Metrics metrics;
        for (const char* name : {"loss", "grad_norm", "lr", "critic/rewards/mean", "critic/gold/mean", "actor/ppo_kl", "actor/pg_clipfrac", "actor/kl_loss",
                 "kl_coef", "actor/old_deviate", "actor/ref_kl_loss", "actor/dpo_loss", "rewards/margins", "actor/dgpo_loss", "actor/distill_kl_loss",
                 "actor/distill_fm_mse_loss", "actor/ratio_mean", "actor/ratio_std", "actor/kl_new_old_mean", "old_policy/decay"})
            metrics[name] = run.metric(name);
        return metrics;
    }

    /// A run that has trained to the end, without the checkpoint of the end.
    struct Parts {
        std::unique_ptr<WorkerRun> run;
        Metrics whole;
        std::map<std::string, at::Tensor> weights;
    };
    Parts wholeRun(const Options& options)
    {
        Parts parts {std::make_unique<WorkerRun>(experiment(2, options)), {}, {}};
        if (parts.run->run() != std::vector {0, 0})
            qFatal("the whole run failed");
        parts.whole = metricsOf(*parts.run);
        parts.weights = parts.run->checkpoint(kSteps);
        fs::remove_all(parts.run->folder().checkpoint(kSteps));
        return parts;
    }

private Q_SLOTS:
    void initTestCase() { m_base = std::make_unique<tests::PolicyBase>(); }
    void cleanupTestCase() { m_base.reset(); }

    void aRunGoesOnBitByBit_data()
    {
        QTest::addColumn<Options>("options");
        const auto named = [](const char* name) { return std::pair<const char*, contract::OptionValue>("algorithm.name", std::string(name)); };
        const std::pair<const char*, contract::OptionValue> penalty = {"policy.kl_coef", 0.1}, shuffle = {"policy.shuffle", true};
        const Options epochs = {{"policy.mini_batches", std::int64_t {1}}, {"policy.epochs", std::int64_t {2}}};
        QTest::newRow("E-133 flow_grpo, shuffled, windows, reference") << Options {shuffle, penalty, {"policy.kl_target", 1e-3}, {"rollout.window_size", std::int64_t {2}}, {"rollout.window_end", std::int64_t {4}}};
        QTest::newRow("E-133 E-100 diffusion_nft, old policy and reference") << Options {named("diffusion_nft"), penalty, {"old.schedule", std::string("constant")}, {"old.decay", 0.5}, {"policy.kl_target", 1e-3}};
        if (tests::isWhole()) {
            QTest::newRow("E-133 flow_grpo, a watched reward") << Options {{"gold.reward", std::string("judge")}, {"gold.patience", std::int64_t {50}}};
            QTest::newRow("E-133 A-147 branching, corrected") << Options {{"rollout.branch_steps", std::int64_t {2}}, {"rollout.window_end", std::int64_t {4}}, {"policy.recompute_old", true}, {"correction.importance", std::string("token")}};
            QTest::newRow("E-133 flow_dppo") << Options {named("flow_dppo")};
            QTest::newRow("E-133 dpo") << Options {named("dpo"), epochs[0], epochs[1]};
            QTest::newRow("E-133 dgpo from the old policy") << Options {named("dgpo"), {"dgpo.switch_round", std::int64_t {1}}, {"dgpo.anchor_old", true}};
        }
        QTest::newRow("E-133 distill_kl") << Options {named("distill"), {"distill.mode", std::string("distill_kl")}, {"distill.teacher", std::string(kBase)}, {"optim.lr", 2e-3}};
    }
    void aRunGoesOnBitByBit()
    {
        QFETCH(Options, options);
        Parts parts = wholeRun(options);
        parts.run->prepareAttempt(experiment(2, options), kMiddle);
        QCOMPARE(parts.run->run(), (std::vector {0, 0}));
        for (const auto& [name, values] : metricsOf(*parts.run)) {
            std::map<std::int64_t, double> expected;
            for (const auto& [step, value] : parts.whole.at(name)) {
                if (step > kMiddle)
                    expected[step] = value;
            }
            QVERIFY2(values == expected, name.c_str());
        }
        QVERIFY(parts.whole.at("loss").size() == kSteps && parts.whole.at("critic/rewards/mean").size() == 3);
        for (const auto& [name, tensor] : parts.run->checkpoint(kSteps))
            QVERIFY2(at::equal(tensor, parts.weights.at(name)), name.c_str());
        QVERIFY(!parts.run->hasText("event", "level", "warning"));
    }

    /// Micro-batches are found wherever they were written.
    void anotherNumberOfRanksGoesOn_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QByteArray>("algorithm");
        QTest::newRow("E-131 E-133 1 rank, flow_grpo") << 1 << QByteArray("flow_grpo");
        if (tests::isWhole())
            QTest::newRow("E-131 E-133 1 rank, diffusion_nft") << 1 << QByteArray("diffusion_nft");
        if (tests::isWhole()) {
            QTest::newRow("E-131 E-133 4 ranks, flow_grpo") << 4 << QByteArray("flow_grpo");
            QTest::newRow("E-131 E-133 1 rank, dpo") << 1 << QByteArray("dpo");
        }
    }
    void anotherNumberOfRanksGoesOn()
    {
        QFETCH(int, ranks);
        QFETCH(QByteArray, algorithm);
        const Options options = {{"algorithm.name", algorithm.toStdString()}, {"policy.mini_batches", std::int64_t {1}}, {"policy.epochs", std::int64_t {2}},
            {"rollout.prompts", std::int64_t {8}}};
        Parts parts = wholeRun(options);
        parts.run->prepareAttempt(experiment(ranks, options), kMiddle);
        QCOMPARE(parts.run->run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        for (const char* name : {"loss", "grad_norm", "critic/rewards/mean"}) {
            for (const auto& [step, value] : parts.run->metric(name)) {
                const double right = parts.whole.at(name).at(step);
                QVERIFY2(std::abs(value - right) <= 1e-3 * std::abs(right) + 1e-6,
                    qPrintable(QStringLiteral("%1 at step %2: %3 instead of %4").arg(QLatin1String(name)).arg(step).arg(value).arg(right)));
            }
        }
        QCOMPARE(parts.run->metric("critic/rewards/mean").size(), std::size_t {1});  // no round is drawn twice
        QVERIFY(!parts.run->hasText("event", "level", "warning"));
    }

    /// The updates that are left use samples of the changed kind.
    void aRoundThatCannotGoOnIsDrawnAgain_data()
    {
        QTest::addColumn<Options>("before");
        QTest::addColumn<Options>("changed");
        QTest::addColumn<QByteArray>("reason");
        const Options none;
        QTest::newRow("other steps of samples") << none << Options {{"rollout.steps", std::int64_t {5}}}
            << QByteArray("the checkpoint's were drawn with rollout.steps = 4, and the experiment has 5");
        QTest::newRow("other micro-batches") << none << Options {{"batch.micro", std::int64_t {2}}}
            << QByteArray("the checkpoint's were drawn with batch.micro = 4, and the experiment has 2");
        QTest::newRow("a new reference") << none << Options {{"policy.kl_coef", 0.1}, {"checkpoint.strict", false}}
            << QByteArray("the checkpoint's were drawn with predictions of other weights = none, and the experiment has ref_prev_sample_mean");
        QTest::newRow("weights only") << Options {{"checkpoint.save", std::string("weights")}} << Options {{"checkpoint.strict", false}}
            << QByteArray("the checkpoint holds none");
    }
    void aRoundThatCannotGoOnIsDrawnAgain()
    {
        QFETCH(Options, before);
        QFETCH(Options, changed);
        QFETCH(QByteArray, reason);
        Parts parts = wholeRun(before);
        Options options = before;
        options.insert(options.end(), changed.begin(), changed.end());
        parts.run->prepareAttempt(experiment(2, options), kMiddle);
        QCOMPARE(parts.run->run(), (std::vector {0, 0}));
        QVERIFY2(parts.run->hasText("event", "message", "the round under way goes on with new samples, because " + reason.toStdString()),
            parts.run->lastEvent("notice").c_str());
        const auto rewards = parts.run->metric("critic/rewards/mean");
        QVERIFY(rewards.size() == 2 && rewards.contains(kMiddle) && rewards.contains(4));
        QCOMPARE(parts.run->metric("loss").size(), std::size_t {3});
    }

    void damagedSamplesAreRefused()
    {
        Parts parts = wholeRun({});
        const fs::path file = parts.run->folder().checkpoint(kMiddle) / "data-1.safetensors";
        std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(-100, std::ios::end).put('\x5a');
        parts.run->prepareAttempt(experiment(2), kMiddle);
        QVERIFY(std::ranges::count(parts.run->run(), 5) > 0);
        const std::string cause = parts.run->lastText("end", "cause", 1);
        QVERIFY2(cause.find("data-1.safetensors: a checksum does not match") != std::string::npos, cause.c_str());
    }

    /// No data is kept where no round has updates left.
    void checkpointsBetweenRoundsHoldNoSamples()
    {
        WorkerRun run(experiment(2, {{"checkpoint.every", std::int64_t {1}}, {"checkpoint.keep", std::int64_t {9}}, {"run.total_steps", std::int64_t {3}}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QCOMPARE(run.folder().checkpointSteps(), (std::vector<std::int64_t> {1, 2, 3}));
        for (const std::int64_t step : {1, 2, 3})
            QCOMPARE(fs::exists(run.folder().checkpoint(step) / "data-0.safetensors"), step != 2);
    }

    /// No samples are drawn for a run that is to stop.
    void aStopComesBeforeTheNextRound()
    {
        Parts parts = wholeRun({});
        WorkerRun run(experiment(2));
        contract::appendCommand(run.folder().control(), contract::Command::Stop);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QCOMPARE(run.lastText("end", "outcome"), std::string("stopped"));
        QCOMPARE(run.folder().checkpointSteps(), std::vector<std::int64_t> {0});
        QVERIFY(run.metric("critic/rewards/mean").empty() && run.metric("loss").empty());
        run.prepareAttempt(experiment(2), 0);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QVERIFY(run.metric("loss") == parts.whole.at("loss"));
    }

    /// A checkpoint does not wait for the first update: it is on the disk while samples are drawn, and holds what was there before them.
    void aCheckpointComesDuringTheRollout()
    {
        Parts parts = wholeRun({});
        WorkerRun run(experiment(2));
        contract::appendCommand(run.folder().control(), contract::Command::Checkpoint);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QVERIFY(run.metric("loss") == parts.whole.at("loss"));
        const auto saved = run.metric("paused_seconds");
        QVERIFY(!saved.empty());
        QCOMPARE(saved.begin()->first, std::int64_t(0));
        run.prepareAttempt(experiment(2), 0);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QVERIFY(run.metric("loss") == parts.whole.at("loss"));
    }

    /// A run that ended in the middle of a round goes on in it when it is given more steps.
    void aLongerRunGoesOnInTheRound()
    {
        Parts parts = wholeRun({});
        WorkerRun run(experiment(2, {{"run.total_steps", std::int64_t {5}}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        run.prepareAttempt(experiment(2), 5);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QCOMPARE(run.metric("loss").at(kSteps), parts.whole.at("loss").at(kSteps));
    }
};

QTEST_GUILESS_MAIN(RoundResumeTest)
#include "tst_round_resume.moc"
