// Training on samples that are noised again, and on the old policy's: DiffusionNFT, DPO, AWM and DGPO through the worker.
#include "tests/engine/worker/policy_run.h"

#include <ATen/ops/equal.h>

#include <QtTest>

#include <map>
#include <memory>

using tests::Options;
using tests::WorkerRun;

namespace {

const std::vector<std::string> kNft = {"actor/policy_loss", "actor/positive_loss", "actor/negative_loss", "actor/old_deviate",
    "actor/reward_prob_mean", "actor/total_loss"};
std::vector<std::string> with(std::vector<std::string> names, std::initializer_list<std::string> more)
{
    names.insert(names.end(), more);
    return names;
}

const std::vector<std::string> kMatching = {"actor/policy_loss", "actor/ratio_mean", "actor/clip_frac_high", "actor/clip_frac_low"};

}  // namespace

class NoisedTrainingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<tests::PolicyBase> m_base;

    contract::Experiment experiment(int ranks, const Options& options = {}) const { return m_base->experiment(ranks, options); }

private Q_SLOTS:
    void initTestCase() { m_base = std::make_unique<tests::PolicyBase>(); }
    void cleanupTestCase() { m_base.reset(); }

    /// In the first update nothing has moved away from the old policy and the reference, to the last bit.
    void anAlgorithmTrainsOnNoisedSamples_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        QTest::addColumn<std::vector<std::string>>("metrics");
        QTest::addColumn<QByteArray>("unmoved");
        const auto named = [](const char* name) { return std::pair<const char*, contract::OptionValue>("algorithm.name", std::string(name)); };
        const std::pair<const char*, contract::OptionValue> penalty = {"policy.kl_coef", 0.1};
        QTest::newRow("A-087 A-075 E-158 E-159 diffusion_nft") << 2 << Options {named("diffusion_nft"), {"nft.timestep_fraction", 0.5}} << kNft << QByteArray("actor/old_deviate");
        QTest::newRow("A-087 A-048 diffusion_nft, reference, bf16, guidance")
            << 1 << Options {named("diffusion_nft"), penalty, {"engine.compute_dtype", std::string("bf16")}, {"rollout.guidance", 2.0}}
            << kNft << QByteArray("actor/ref_kl_loss");
        QTest::newRow("A-085 A-111 E-157 E-164 dpo") << 2 << Options {named("dpo"), {"policy.mini_batches", std::int64_t {1}}, {"policy.epochs", std::int64_t {2}}}
            << std::vector<std::string> {"actor/dpo_loss", "actor/implicit_acc", "rewards/chosen", "rewards/rejected", "rewards/margins"}
            << QByteArray("actor/ref_kl_loss");
        QTest::newRow("E-165 A-055 dpo, guidance") << 1 << Options {named("dpo"), {"policy.mini_batches", std::int64_t{1}}, {"policy.epochs", std::int64_t {2}}, {"rollout.guidance", 2.0}}
            << std::vector<std::string> {"actor/dpo_loss"} << QByteArray("rewards/margins");
        QTest::newRow("A-141 A-146 awm") << 2 << Options {named("awm")} << kMatching << QByteArray("actor/clip_frac_high");
        QTest::newRow("A-142 awm, reference and average") << 1
            << Options {named("awm"), penalty, {"awm.ema_coef", 0.1}, {"ema.decay", 0.9}, {"awm.weight", std::string("ghuber")}, {"timesteps.strategy", std::string("discrete")}}
            << with(kMatching, {"actor/kl_loss", "actor/ema_kl_loss"}) << QByteArray("actor/kl_loss");
        QTest::newRow("A-143 A-146 dgpo") << 2 << Options {named("dgpo")} << std::vector<std::string> {"actor/dgpo_loss", "actor/dsm_loss"} << QByteArray("actor/kl_div");
        QTest::newRow("A-144 A-145 dgpo from the old policy") << 1
            << Options {named("dgpo"), penalty, {"dgpo.switch_round", std::int64_t {1}}, {"dgpo.anchor_old", true}, {"dgpo.clip_loss", true}, {"old.schedule", std::string("linear_to_0_3")}}
            << std::vector<std::string> {"actor/dgpo_loss", "actor/clip_frac", "actor/kl_loss", "actor/kl_div"} << QByteArray("actor/clip_frac");
    }
    void anAlgorithmTrainsOnNoisedSamples()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        QFETCH(std::vector<std::string>, metrics);
        QFETCH(QByteArray, unmoved);
        WorkerRun run(experiment(ranks, options));
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        for (const std::string& name : metrics)
            QVERIFY2(run.metric(name).size() == 4, name.c_str());
        const auto moved = run.metric(unmoved.toStdString());
        QVERIFY2(moved.at(1) == 0.0, qPrintable(QString::number(moved.at(1), 'g', 17)));  // exactly
        // In the next round the model has left the reference, which stays, and the average, which follows slowly.
        QVERIFY(!unmoved.endsWith("kl_loss") || moved.at(3) != 0.0);
        if (const auto average = run.metric("actor/ema_kl_loss"); !average.empty())
            QVERIFY(average.at(3) > 0);
        const auto ratios = run.metric("actor/ratio_mean");
        QVERIFY(ratios.empty() || (ratios.at(1) == 1.0 && ratios.at(2) != 1.0));
        QCOMPARE(run.metric("critic/rewards/mean").size(), std::size_t {2});
    }

    /// Both the samples and the predictions that are compared are guided: the second update differs, the first begins at the reference.
    void guidanceActsOnSamplesAndUpdates_E157_E165_A055()
    {
        std::map<double, double> rewards, margins;
        for (const double scale : {1.000001, 4.0}) {
            WorkerRun run(experiment(1, {{"algorithm.name", std::string("dpo")}, {"policy.mini_batches", std::int64_t {1}},
                {"policy.epochs", std::int64_t {2}}, {"rollout.guidance", scale}}));
            QCOMPARE(run.run(), (std::vector {0}));
            QCOMPARE(run.metric("rewards/margins").at(1), 0.0);
            QVERIFY(run.metric("rewards/margins").at(3) != 0.0);  // in the next round the model has left the reference
            rewards[scale] = run.metric("critic/rewards/mean").at(0);
            margins[scale] = run.metric("rewards/margins").at(2);
        }
        QVERIFY2(std::abs(rewards[4] - rewards[1.000001]) > 1e-2 * rewards[4], qPrintable(QStringLiteral("%1 and %2").arg(rewards[4]).arg(rewards[1.000001])));
        QVERIFY2(margins[4] != margins[1.000001], qPrintable(QString::number(margins[4])));
    }

    /// An old policy that never follows draws the same samples whatever the one that trains learns.
    void theOldPolicyDrawsTheSamples_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        QTest::newRow("A-048 E-101 E-159 diffusion_nft") << QByteArray("diffusion_nft");
        QTest::newRow("A-145 dgpo after its switch") << QByteArray("dgpo");
    }
    void theOldPolicyDrawsTheSamples()
    {
        QFETCH(QByteArray, algorithm);
        std::map<double, std::map<std::int64_t, double>> rewards, losses;
        for (const double rate : {1e-5, 1e-2}) {
            WorkerRun run(experiment(2, {{"algorithm.name", algorithm.toStdString()}, {"optim.lr", rate}, {"old.schedule", std::string("constant")},
                {"old.decay", 1.0}, {"dgpo.switch_round", std::int64_t {0}}, {"run.total_steps", std::int64_t {6}}}));
            QCOMPARE(run.run(), (std::vector {0, 0}));
            rewards[rate] = run.metric("critic/rewards/mean");
            losses[rate] = run.metric("loss");
            if (algorithm == "diffusion_nft")
                QVERIFY(run.metric("actor/old_deviate").at(3) > 0);  // predictions are compared with its own
        }
        QCOMPARE(rewards[1e-5].size(), std::size_t {3});
        QVERIFY(rewards[1e-5] == rewards[1e-2]);
        QVERIFY(losses[1e-5] != losses[1e-2]);
    }

    /// Also, the old policy's weights and the reference's are those of the checkpoint after a resume (E-100).
    void aResumeGoesOnWithTheOldPolicy_E100()
    {
        const Options options = {{"algorithm.name", std::string("diffusion_nft")}, {"run.total_steps", std::int64_t {6}},
            {"checkpoint.every", std::int64_t {2}}, {"run.deterministic", true}, {"policy.kl_coef", 0.1},
            {"old.schedule", std::string("constant")}, {"old.decay", 0.5}, {"policy.kl_target", 1e-3}};
        WorkerRun whole(experiment(2, options)), parted(experiment(2, options));
        QCOMPARE(whole.run(), (std::vector {0, 0}));
        QCOMPARE(parted.run(), (std::vector {0, 0}));
        QCOMPARE(whole.metric("old_policy/decay").at(2), 0.5);
        std::filesystem::remove_all(parted.folder().checkpoint(6));
        parted.prepareAttempt(experiment(2, options), 4);
        QCOMPARE(parted.run(), (std::vector {0, 0}));
        const auto expected = whole.checkpoint(6), actual = parted.checkpoint(6), first = whole.checkpoint(2);
        int copies = 0;
        for (const auto& [name, tensor] : expected) {
            QVERIFY2(at::equal(tensor, actual.at(name)), name.c_str());
            if (name.starts_with("reference/"))
                QVERIFY2(++copies && at::equal(tensor, first.at(name)), name.c_str());
        }
        QVERIFY(copies > 0);
    }
};

QTEST_GUILESS_MAIN(NoisedTrainingTest)
#include "tst_noised_training.moc"
