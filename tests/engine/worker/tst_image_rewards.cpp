// Policy optimization of image models through the worker: an adapter or all of a model gains reward, on any number of ranks.
#include "engine/data/png.h"
#include "tests/engine/worker/worker_run.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"
#include "tests/support/whole_test.h"

#include <ATen/ops/equal.h>

#include <QtTest>

#include <cmath>
#include <fstream>

using tests::WorkerRun;

namespace {

using tests::Options;
using tests::with;

contract::OptionValue text(const char* value) { return std::string(value); }
contract::OptionValue integer(std::int64_t value) { return value; }
contract::OptionValue golden(const char* model) { return std::string(ATELIER_SOURCE_DIR "/tests/goldens/models/") + model + "/pipeline"; }

constexpr char kPainted[] = "painted";  ///< the model that paintedModel() trains, in a row

}  // namespace

class ImageRewardsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path path(const char* name) const { return m_folder.filePath(QLatin1String(name)).toStdString(); }

    /// An adapter of a tiny Stable Diffusion 3; a round has 4 prompts of 8 samples, of which each pass takes 8.
    contract::Experiment experiment(int ranks, const Options& options) const
    {
        const contract::Experiment all = with(tests::smallExperiment(ranks),
            {{"run.total_steps", integer(4)}, {"algorithm.name", text("flow_grpo")}, {"model.name", text("diffusers")},
                {"model.folder", golden("pipeline_sd3")}, {"data.resolution", integer(32)}, {"rollout.prompt_file", path("prompts.txt").string()},
                {"reward.functions", text("brightness")}, {"rollout.prompts", integer(4)}, {"rollout.samples_per_prompt", integer(8)},
                {"rollout.steps", integer(4)}, {"rollout.noise_level", 0.7}, {"policy.clip", 1e-3}, {"batch.micro", integer(8)},
                {"lora.rank", integer(4)}, {"lora.alpha", 8.0}, {"optim.lr", 1e-2}, {"optim.weight_decay", 0.0}, {"ema.decay", 0.0},
                {"schedule.warmup_steps", integer(0)}});
        return with(all, options);
    }

    /// A new model like that of the emoji.
    static Options newModel()
    {
        return {{"model.name", text("sd3")}, {"model.patch", integer(4)}, {"model.width", integer(32)}, {"model.depth", integer(2)},
            {"lora.rank", integer(0)}};
    }

    /// A checkpoint of it after a few steps on painted images.
    std::string paintedModel() const
    {
        contract::Experiment images = with(tests::smallExperiment(1), newModel());
        images = with(images, {{"run.total_steps", integer(10)}, {"data.folder", path("painted").string()}, {"data.resolution", integer(32)},
            {"batch.micro", integer(4)}, {"optim.lr", 1e-3}, {"ema.decay", 0.0}});
        WorkerRun run(images);
        if (run.run() != std::vector {0})
            qFatal("the model was not trained");
        std::filesystem::copy(run.folder().checkpoint(10), path("base"));
        return path("base").string();
    }

private Q_SLOTS:
    void initTestCase()
    {
        std::ofstream(path("prompts.txt")) << "a red heart\n a blue square \r\n\nghost\nthree green apples on a long table";
        std::filesystem::create_directories(path("painted"));
        for (int i = 0; i < 4; ++i) {
            engine::Pixels pixels {32, 32, 3, std::vector<std::uint8_t>(32 * 32 * 3)};
            for (std::size_t place = 0; place < pixels.values.size(); ++place)
                pixels.values[place] = static_cast<std::uint8_t>(static_cast<int>(place) * (i + 3) % 256);
            engine::writePng(path("painted") / (std::to_string(i) + ".png"), pixels);
            std::ofstream(path("painted") / (std::to_string(i) + ".txt")) << "painting " << i % 3;
        }
        std::filesystem::create_directories(path("silent"));
        std::filesystem::copy_file(path("painted") / "0.png", path("silent") / "0.png");
    }

    /// Also: the first update of a round repeats the rollout's passes bit for bit, and the second does not.
    void theRewardRises_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        QTest::newRow("A-051 A-124 Qwen-Image, adapter, guidance, two rewards, two updates a round, bf16")
            << 2 << Options {{"model.folder", golden("pipeline_qwen_image")}, {"run.total_steps", integer(16)}, {"rollout.guidance", 2.0},
                   {"policy.mini_batches", integer(2)}, {"policy.clip", 0.5}, {"reward.functions", text("brightness, jpeg_size:0")}, {"engine.compute_dtype", text("bf16")}};
        if (!tests::isWhole())
            return;
        QTest::newRow("A-080 A-095 Stable Diffusion 3, adapter") << 1 << Options {{"run.total_steps", integer(8)}};
        QTest::newRow("A-080 A-095 Stable Diffusion 3, whole, bf16")
            << 2 << Options {{"lora.rank", integer(0)}, {"run.total_steps", integer(6)}, {"engine.compute_dtype", text("bf16")}};
        const auto flux = tests::makeFluxFolder(m_folder.path().toStdString(), /*isDistilled=*/true);
        QTest::newRow("A-052 A-095 FLUX.1 dev, adapter, told its guidance")
            << 1 << Options {{"model.folder", flux.string()}, {"run.total_steps", integer(10)}, {"optim.lr", 2e-2}, {"rollout.guidance", 3.5}, {"rollout.prompts", integer(2)},
                   {"rollout.steps", integer(3)}};
        Options emoji = newModel();
        emoji.insert(emoji.end(), {{"checkpoint.init_from", text(kPainted)}, {"rollout.prompt_file", text("")}, {"data.folder", path("painted").string()},
            {"rollout.prompts", integer(3)}, {"optim.lr", 3e-3}, {"run.total_steps", integer(10)}, {"validation.every", integer(10)},
            {"data.validation_fraction", 0.25}});
        QTest::newRow("A-080 A-095 a new model, the captions of images") << 1 << emoji;
    }
    void theRewardRises()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        contract::Experiment experiment = this->experiment(ranks, options);
        if (experiment.text("checkpoint.init_from") == kPainted)
            experiment.set("checkpoint.init_from", paintedModel());
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        const auto rewards = run.series("critic/rewards/mean"), spreads = run.series("critic/rewards/std_mean"), own = run.series("critic/brightness/mean");
        const std::int64_t updates = experiment.integer("policy.mini_batches"), steps = experiment.integer("run.total_steps");
        QCOMPARE(static_cast<std::int64_t>(rewards.size()), steps / updates);
        const QByteArray gain = QByteArray::number(rewards.front()) + " to " + QByteArray::number(rewards.back()) + ", spread " + QByteArray::number(spreads.front());
        QVERIFY2(rewards.back() - rewards.front() > 3 * spreads.front(), gain);
        QCOMPARE(own.size(), rewards.size());
        for (std::size_t round = 0; round < rewards.size(); ++round)
            QVERIFY2(std::abs(own[round] - rewards[round]) < 1e-6, QByteArray::number(own[round] - rewards[round]));
        const auto ratios = run.metric("actor/ratio_mean"), deviations = run.metric("actor/ratio_std"), divergences = run.metric("actor/ppo_kl");
        for (std::int64_t step = 1; step <= steps; ++step) {
            if ((step - 1) % updates == 0)
                QVERIFY2(ratios.at(step) == 1.0 && deviations.at(step) == 0.0 && divergences.at(step) == 0.0,  // exactly
                    QByteArray::number(ratios.at(step), 'g', 17));
            else
                QVERIFY(deviations.at(step) > 0);
        }
        const auto sizes = run.series("critic/jpeg_size/mean");
        QCOMPARE(!sizes.empty(), experiment.text("reward.functions").find("jpeg_size") != std::string::npos);
        for (const double size : sizes)
            QVERIFY(size < -0.5 && size > -5);
        QCOMPARE(run.metric("validation/loss").size(), experiment.integer("validation.every") > 0 ? std::size_t {1} : std::size_t {0});
    }

    void theRewardRisesByOtherAlgorithms_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        QTest::newRow("A-087 DiffusionNFT") << QByteArray("diffusion_nft") << 2 << Options {};
        if (tests::isWhole()) {
            QTest::newRow("A-085 DPO") << QByteArray("dpo") << 1 << Options {{"batch.micro", integer(4)}, {"dpo.beta", 100.0}};
            QTest::newRow("A-141 AWM") << QByteArray("awm") << 1 << Options {};
            QTest::newRow("A-143 DGPO") << QByteArray("dgpo") << 2 << Options {};
        }
    }
    void theRewardRisesByOtherAlgorithms()
    {
        QFETCH(QByteArray, algorithm);
        QFETCH(int, ranks);
        QFETCH(Options, options);
        options.insert(options.end(), {{"algorithm.name", algorithm.toStdString()}, {"model.folder", golden("pipeline_qwen_image")}, {"run.total_steps", integer(10)}});
        WorkerRun run(experiment(ranks, options));
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        const auto rewards = run.series("critic/rewards/mean");
        const double spread = run.series("critic/rewards/std_mean").front();
        QVERIFY2(rewards.back() - rewards.front() > 3 * spread,
            QByteArray::number(rewards.front()) + " to " + QByteArray::number(rewards.back()) + ", spread " + QByteArray::number(spread));
    }

    void aClipModelsScoreRises_data() { tests::onlyInTheWholeTest(); }
    void aClipModelsScoreRises()
    {
        const std::string clip = "clip:" ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model:0.5";
        WorkerRun run(experiment(2, {{"run.total_steps", integer(16)}, {"rollout.samples_per_prompt", integer(16)}, {"reward.functions", clip}}));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        const auto rewards = run.series("critic/rewards/mean"), scores = run.series("critic/model/mean");
        QCOMPARE(rewards.size(), std::size_t {16});
        QCOMPARE(scores.size(), rewards.size());
        for (std::size_t round = 0; round < rewards.size(); ++round)
            QVERIFY(std::abs(scores[round] * 0.5 - rewards[round]) < 1e-5);
        const double spread = run.series("critic/rewards/std_mean").front();
        QVERIFY2(rewards.back() - rewards.front() > spread,
            QByteArray::number(rewards.front()) + " to " + QByteArray::number(rewards.back()) + ", spread " + QByteArray::number(spread));
    }

    void anyNumberOfRanksDrawsAndTrainsTheSame_A110_data() { tests::onlyInTheWholeTest(); }
    void anyNumberOfRanksDrawsAndTrainsTheSame_A110()
    {
        std::map<std::string, std::map<std::int64_t, double>> expected;
        for (const auto& [ranks, ulysses] : {std::pair(1, 1), std::pair(2, 1), std::pair(2, 2)}) {
            WorkerRun run(experiment(ranks,
                {{"model.folder", golden("pipeline_qwen_image")}, {"engine.ulysses", integer(ulysses)}, {"rollout.guidance", 2.0}}));
            QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
            for (const char* name : {"critic/rewards/mean", "critic/rewards/max", "critic/brightness/mean", "grad_norm"}) {
                const auto values = run.metric(name);
                if (ranks == 1)
                    expected[name] = values;
                QCOMPARE(values.size(), std::size_t {4});
                for (const auto& [step, value] : values) {
                    const double right = expected[name].at(step);
                    QVERIFY2(std::abs(value - right) <= 1e-3 * std::abs(right),
                        qPrintable(QStringLiteral("%1 at step %2: %3, on one rank %4").arg(QLatin1String(name)).arg(step).arg(value).arg(right)));
                }
            }
        }
    }

    /// From the middle of a round, whose samples are not drawn again.
    void aResumedRunIsTheSame_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        if (tests::isWhole())
            QTest::newRow("E-133 Stable Diffusion 3, diffusion_nft, reference") << 2 << Options {{"algorithm.name", text("diffusion_nft")}, {"policy.kl_coef", 0.1}};
        QTest::newRow("E-133 Qwen-Image, flow_grpo, guidance, a sequence over two ranks")
            << 2 << Options {{"model.folder", golden("pipeline_qwen_image")}, {"rollout.guidance", 2.0}, {"engine.ulysses", integer(2)}};
        if (tests::isWhole()) {
            QTest::newRow("E-133 Stable Diffusion 3, flow_grpo") << 1 << Options {};
            QTest::newRow("E-133 Qwen-Image, diffusion_nft") << 1 << Options {{"model.folder", golden("pipeline_qwen_image")}, {"algorithm.name", text("diffusion_nft")}};
        }
    }
    void aResumedRunIsTheSame()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        options.insert(options.end(), {{"run.deterministic", true}, {"checkpoint.every", integer(3)}, {"policy.mini_batches", integer(2)}});
        WorkerRun run(experiment(ranks, options));
        const std::vector<int> well(static_cast<std::size_t>(ranks), 0);
        QCOMPARE(run.run(), well);
        const auto expected = run.checkpoint(4);
        const auto losses = run.metric("loss"), norms = run.metric("grad_norm");
        std::filesystem::remove_all(run.folder().checkpoint(4));
        run.prepareAttempt(experiment(ranks, options), 3);
        QCOMPARE(run.run(), well);
        const auto actual = run.checkpoint(4);
        QVERIFY(!expected.empty());
        for (const auto& [name, tensor] : expected)
            QVERIFY2(at::equal(tensor, actual.at(name)), name.c_str());
        QVERIFY(run.metric("loss").at(4) == losses.at(4) && run.metric("grad_norm").at(4) == norms.at(4));
        QVERIFY(run.metric("critic/rewards/mean").empty());
    }

    void otherPromptsNeedNewSamples()
    {
        const std::filesystem::path prompts = path("few.txt");
        std::ofstream(prompts) << "a red heart\nghost";
        const Options options = {{"rollout.prompt_file", prompts.string()}, {"checkpoint.every", integer(3)}, {"policy.mini_batches", integer(2)}};
        WorkerRun run(experiment(1, options));
        QCOMPARE(run.run(), std::vector {0});
        std::ofstream(prompts) << "a red heart\na house";
        run.prepareAttempt(experiment(1, options), 3);
        QCOMPARE(run.run(), std::vector {0});
        QVERIFY(run.hasText("event", "message", "because the checkpoint's were drawn with the prompts = 2 ("));
        QVERIFY(run.metric("critic/rewards/mean").contains(3));
    }

    void whatCannotWorkEndsWithItsCause_data()
    {
        QTest::addColumn<Options>("options");
        QTest::addColumn<QByteArray>("cause");
        std::ofstream(path("broken.jsonl")) << "{\"prompt\": \"ghost\"}\n{\"prompt\": 3}\n";
        QTest::newRow("a prompt file") << Options {{"rollout.prompt_file", path("broken.jsonl").string()}}
                                       << QByteArray("broken.jsonl, line 2: has no text named \"prompt\"");
        std::filesystem::copy(ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model", path("clip"), std::filesystem::copy_options::recursive);
        std::ofstream(path("clip") / "config.json") << R"({"architectures": ["CLIPModel"], "text_config": {}, "vision_config": {"image_size": 26, "patch_size": 8}})";
        QTest::newRow("a CLIP model") << Options {{"reward.functions", "clip:" + path("clip").string()}}
                                      << QByteArray("clip/config.json: \"text_config.eos_token_id\" is 49407");
        QTest::newRow("no captions") << Options {{"rollout.prompt_file", text("")}, {"data.folder", path("silent").string()}}
                                     << QByteArray("rollout.prompt_file is not set, and no training image has a caption");
    }
    void whatCannotWorkEndsWithItsCause()
    {
        QFETCH(Options, options);
        QFETCH(QByteArray, cause);
        WorkerRun run(experiment(1, options));
        QVERIFY(run.run() != std::vector {0});
        const QByteArray said = QByteArray::fromStdString(run.lastText("end", "cause"));
        QVERIFY2(said.contains(cause), said);
    }
};

QTEST_GUILESS_MAIN(ImageRewardsTest)
#include "tst_image_rewards.moc"
