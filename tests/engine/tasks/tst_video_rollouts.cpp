// Models of videos learn by a reward: real ranks, a tiny Wan folder.
#include "tests/engine/worker/worker_run.h"
#include "tests/support/tiny_pipelines.h"
#include "tests/support/whole_test.h"

#include <ATen/ops/equal.h>

#include <QFile>
#include <QImageReader>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using tests::WorkerRun;

namespace {

using tests::Options;

contract::OptionValue text(const char* value) { return std::string(value); }
contract::OptionValue integer(std::int64_t value) { return value; }

}  // namespace

class VideoRolloutsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_model;

    fs::path path(const char* name) const { return m_folder.filePath(name).toStdString(); }

    /// An adapter of a tiny Wan, which draws 5 frames; a round has 2 prompts of 4 samples, of which each pass takes 4.
    contract::Experiment experiment(int ranks, const Options& options) const
    {
        contract::Experiment experiment = tests::smallExperiment(ranks);
        const Options all = {{"run.total_steps", integer(4)}, {"algorithm.name", text("flow_grpo")}, {"model.name", text("diffusers")},
            {"model.folder", m_model}, {"data.resolution", integer(32)}, {"data.frames", integer(5)},
            {"rollout.prompt_file", path("prompts.txt").string()}, {"reward.functions", text("brightness")}, {"rollout.prompts", integer(2)},
            {"rollout.samples_per_prompt", integer(4)}, {"rollout.steps", integer(4)}, {"rollout.noise_level", 0.7}, {"policy.clip", 1e-3},
            {"batch.micro", integer(4)}, {"lora.rank", integer(4)}, {"lora.alpha", 8.0}, {"optim.lr", 2e-2}, {"optim.weight_decay", 0.0},
            {"ema.decay", 0.0}, {"schedule.warmup_steps", integer(0)}, {"sample.every", integer(0)}};
        return tests::with(tests::with(std::move(experiment), all), options);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_model = tests::makeWanFolder(m_folder.path().toStdString()).string();
        std::ofstream(path("prompts.txt")) << "a red heart\nghost\n";
    }

    void theRewardRises_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        if (tests::isWhole())
            QTest::newRow("A-080 flow_grpo, 2 ranks, guidance, bf16, whole")
                << 2 << Options {{"rollout.guidance", 2.0}, {"engine.compute_dtype", text("bf16")}, {"lora.rank", integer(0)}, {"optim.lr", 3e-3}};
        QTest::newRow("A-087 diffusion_nft, 2 ranks, a sequence over both")
            << 2 << Options {{"algorithm.name", text("diffusion_nft")}, {"engine.ulysses", integer(2)}};
        // Wan 2.2's two transformers, of which one learns: 2 of 4 steps are made by each.
        const std::string experts = tests::makeWanFolder(m_folder.path().toStdString(), 2).string();
        const auto expert = [&](const char* component) {
            return Options {{"model.folder", experts}, {"model.component", text(component)}, {"rollout.steps", integer(6)}};
        };
        if (tests::isWhole()) {
            QTest::newRow("A-080 flow_grpo, two transformers, low noise, 2 ranks") << 2 << expert("transformer_2");
            QTest::newRow("A-080 flow_grpo") << 1 << Options {};
            QTest::newRow("A-141 awm") << 1 << Options {{"algorithm.name", text("awm")}};
            QTest::newRow("A-080 flow_grpo, two transformers, high noise") << 1 << expert("transformer");
            QTest::newRow("A-085 dpo") << 1 << Options {{"algorithm.name", text("dpo")}, {"batch.micro", integer(2)}, {"dpo.beta", 100.0},
                {"run.total_steps", integer(20)}};
        }
    }
    void theRewardRises()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        options.insert(options.begin(), {"run.total_steps", integer(10)});
        WorkerRun run(experiment(ranks, options));
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        const auto rewards = run.series("critic/rewards/mean"), ratios = run.series("actor/ratio_mean");
        QVERIFY(rewards.size() >= 10);
        const double spread = run.series("critic/rewards/std_mean").front();
        QVERIFY2(rewards.back() - rewards.front() > 2 * spread,
            QByteArray::number(rewards.front()) + " to " + QByteArray::number(rewards.back()) + ", spread " + QByteArray::number(spread));
        for (const double ratio : ratios)
            QCOMPARE(ratio, 1.0);  // exactly: each round has one update
    }

    void anyNumberOfRanksDrawsAndTrainsTheSame_A110()
    {
        std::map<std::string, std::map<std::int64_t, double>> expected;
        for (const int ranks : {1, 2}) {
            WorkerRun run(experiment(ranks, {{"rollout.keep_every", integer(1)}, {"run.total_steps", integer(2)}}));
            QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
            for (const char* name : {"critic/rewards/mean", "critic/rewards/max", "grad_norm"}) {
                const auto values = run.metric(name);
                QCOMPARE(values.size(), std::size_t {2});
                if (ranks == 1)
                    expected[name] = values;
                for (const auto& [step, value] : values)
                    QVERIFY2(std::abs(value - expected[name].at(step)) <= 1e-3 * std::abs(value), name);
            }
            // The best and worst samples of both rounds, each as a row of its 5 frames.
            int kept = 0;
            for (const auto& file : fs::directory_iterator(run.folder().root() / "samples")) {
                if (file.path().filename().string().find("round") == std::string::npos)
                    continue;
                QCOMPARE(QImageReader(QString::fromStdString(file.path().string())).size(), QSize(5 * 192 + 6 * 4, 192 + 2 * 4));
                ++kept;
            }
            QCOMPARE(kept, 8);
        }
    }

    void aRunThatResumesInARoundIsTheSame_E133_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        if (tests::isWhole())
            QTest::newRow("trajectories") << QByteArray("flow_grpo");
        QTest::newRow("clean samples") << QByteArray("diffusion_nft");
    }
    void aRunThatResumesInARoundIsTheSame_E133()
    {
        QFETCH(QByteArray, algorithm);
        const Options options = {{"algorithm.name", algorithm.toStdString()}, {"run.deterministic", true}, {"checkpoint.every", integer(3)},
            {"policy.mini_batches", integer(2)}, {"policy.kl_coef", 0.1}};
        WorkerRun run(experiment(1, options));
        QCOMPARE(run.run(), std::vector {0});
        const auto expected = run.checkpoint(4);
        fs::remove_all(run.folder().checkpoint(4));
        run.prepareAttempt(experiment(1, options), 3);
        QCOMPARE(run.run(), std::vector {0});
        const auto actual = run.checkpoint(4);
        QVERIFY(!expected.empty() && run.metric("critic/rewards/mean").empty());
        for (const auto& [name, tensor] : expected)
            QVERIFY2(at::equal(tensor, actual.at(name)), name.c_str());
    }

    void programsCompareVideos()
    {
        std::ofstream(path("score.sh")) << "#!/bin/sh\nwhile read -r request; do id=${request#*:}; id=${id%%,*}\n"
                                           "printf '%s' \"$request\" > last\necho '{\"id\":'$id',\"scores\":[1,0,0.5,1,1,0]}'; done\n";
        fs::permissions(path("score.sh"), fs::perms::owner_all);
        WorkerRun run(experiment(2, {{"reward.functions", "pairs:program:" + path("score.sh").string()}, {"batch.micro", integer(2)}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        for (const auto& [step, score] : run.metric("critic/score/mean"))
            QVERIFY(std::abs(score - 0.5) < 1e-7);
        QFile request(m_folder.filePath("last"));
        QVERIFY(request.open(QIODevice::ReadOnly));
        const QByteArray content = request.readAll();
        QCOMPARE(content.count("\"frames\":["), 4);
        QVERIFY(content.contains("\"pairs\":[[0,1]"));
    }

    /// Whichever of two transformers learns, samples are drawn by both.
    void bothTransformersDraw()
    {
        const auto firstReward = [&](const std::string& folder, const char* component) {
            WorkerRun run(experiment(1, {{"model.folder", folder}, {"model.component", text(component)}, {"algorithm.name", text("diffusion_nft")},
                                            {"rollout.steps", integer(6)}, {"run.total_steps", integer(1)}, {"rollout.prompts", integer(1)}}));
            return run.run() == std::vector {0} ? run.series("critic/rewards/mean").front() : std::nan("");
        };
        const std::string experts = tests::makeWanFolder(m_folder.path().toStdString(), 2).string();
        const double high = firstReward(experts, "transformer"), low = firstReward(experts, "transformer_2"), lone = firstReward(m_model, "transformer");
        QCOMPARE(high, low);
        QVERIFY2(std::abs(high - lone) > 1e-6, QByteArray::number(high) + " " + QByteArray::number(lone));
    }
};

QTEST_GUILESS_MAIN(VideoRolloutsTest)
#include "tst_video_rollouts.moc"
