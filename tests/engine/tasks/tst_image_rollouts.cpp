#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/data/png.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/tasks/image_rollouts.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <future>

using engine::DiffusionPipeline;
using engine::ImageRollouts;
using engine::Prompt;
using engine::RewardBatch;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kEdge = 32;

/// Scores by a function, on whatever thread it is called.
class FunctionReward final : public engine::Reward {
public:
    using Function = std::function<at::Tensor(const RewardBatch&)>;
    FunctionReward(std::string name, Function function)
        : m_name(std::move(name))
        , m_function(std::move(function))
    {
    }
    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override { return m_function(batch); }

private:
    std::string m_name;
    Function m_function;
};

std::unique_ptr<engine::RewardList> listOf(std::map<std::string, std::pair<FunctionReward::Function, double>> functions)
{
    std::vector<engine::WeightedReward> rewards;
    for (auto& [name, function] : functions)
        rewards.push_back({std::make_unique<FunctionReward>(name, function.first), function.second});
    return std::make_unique<engine::RewardList>(std::move(rewards), 0);
}

engine::Mesh loneMesh() { return {{}, std::make_unique<engine::LoneGroup>()}; }

at::Tensor means(const RewardBatch& batch) { return batch.images.flatten(1).mean(1); }

/// A pipeline, and the features of its prompts in a cache.
struct Opened {
    Opened(const fs::path& folder, const fs::path& cache)
        : pipeline(contract::ModelFolder(folder), {.maxSequenceLength = 32})
        , features(pipeline, engine::FeatureCache(cache), folder.string(), at::kFloat)
    {
    }
    DiffusionPipeline pipeline;
    engine::PromptCache features;
    std::vector<Prompt> prompts = {{"a red heart"}, {"two blue squares", "{\"count\":2}"}, {"ghost"}};
};

at::Tensor latentsFor(const ImageRollouts& rollouts, const std::vector<std::uint64_t>& rows)
{
    return engine::normalRows(rows, rollouts.latentShape(), 7, "test", 0);
}

}  // namespace

class ImageRolloutsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path root() const { return m_folder.path().toStdString(); }
    Opened opened(const QString& model) const
    {
        const bool isOwn = model.startsWith("flux") || model.startsWith("wan");
        const fs::path folder = model.startsWith("wan") ? tests::makeWanFolder(root())
            : isOwn                            ? tests::makeFluxFolder(root(), model == "flux-dev")
                                               : fs::path(ATELIER_SOURCE_DIR "/tests/goldens/models") / model.toStdString() / "pipeline";
        return {folder, root() / "cache"};
    }

private Q_SLOTS:
    void conditionsAreThoseOfThePipeline_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("isDistilled");
        QTest::newRow("A-050 A-054 Stable Diffusion 3") << "pipeline_sd3" << false;
        QTest::newRow("A-051 E-149 E-151 E-152 Qwen-Image, prompts of several lengths") << "pipeline_qwen_image" << false;
        QTest::newRow("A-052 FLUX.1 dev is told the scale") << "flux-dev" << true;
    }
    void conditionsAreThoseOfThePipeline()
    {
        QFETCH(QString, model);
        QFETCH(bool, isDistilled);
        const Opened parts = opened(model);
        engine::Mesh mesh = loneMesh();
        const std::vector<std::int64_t> asked = {1, 0, 1};
        if (model == "pipeline_qwen_image")
            QVERIFY(parts.features.features("ghost").embeds.size(1) < parts.features.features("two blue squares").embeds.size(1));
        for (const double scale : {1.0, 3.0}) {
            const ImageRollouts rollouts(parts.prompts, listOf({}), parts.features, parts.pipeline, mesh, {"ugly", kEdge, scale});
            QCOMPARE(rollouts.prompts(), std::int64_t {3});
            QVERIFY(rollouts.guidance() == parts.pipeline.traits().guidance);
            const engine::Conditions conditions = rollouts.conditions(asked);
            for (std::size_t row = 0; row < asked.size(); ++row) {
                const auto own = parts.features.features(parts.prompts[static_cast<std::size_t>(asked[row])].text);
                const at::Tensor actual = conditions.positive.prompt[static_cast<std::int64_t>(row)];
                QVERIFY(at::equal(actual.narrow(0, 0, own.embeds.size(1)), own.embeds[0]));
                const std::int64_t padding = actual.size(0) - own.embeds.size(1);
                QVERIFY(padding == 0 || actual.narrow(0, own.embeds.size(1), padding).count_nonzero().item<std::int64_t>() == 0);
                QVERIFY(padding == 0 || conditions.positive.promptMask[static_cast<std::int64_t>(row)].sum().item<std::int64_t>() == own.embeds.size(1));
                if (own.pooled.defined())
                    QVERIFY(at::equal(conditions.positive.pooled[static_cast<std::int64_t>(row)], own.pooled[0]));
            }
            // A pass of one prompt has its features once.
            const engine::Conditions same = rollouts.conditions({2, 2, 2});
            const auto ghost = parts.features.features("ghost");
            for (const std::int64_t row : {0, 2})
                QVERIFY(at::equal(same.positive.prompt[row], ghost.embeds[0]));
            QCOMPARE(same.positive.prompt.stride(0), std::int64_t {0});
            const engine::ModelInput input = engine::denoiserInput(same, same.negative.has_value());
            QVERIFY(input.prompt.is_contiguous() && at::equal(input.prompt[2].narrow(0, 0, ghost.embeds.size(1)), ghost.embeds[0]));
            QCOMPARE(conditions.negative.has_value(), scale > 1 && !isDistilled);
            if (conditions.negative)
                QVERIFY(at::equal(conditions.negative->prompt[2], parts.features.features("ugly").embeds[0]));
            QCOMPARE(conditions.positive.guidance.defined(), isDistilled);
            if (isDistilled)
                QVERIFY(at::equal(conditions.positive.guidance, at::full({3}, scale, at::kFloat)));
        }
    }

    void noiseLevelsAreThoseOfThePipeline_A008_A009()
    {
        for (const char* model : {"pipeline_sd3", "pipeline_qwen_image"}) {
            const Opened parts = opened(model);
            engine::Mesh mesh = loneMesh();
            const ImageRollouts rollouts(parts.prompts, listOf({}), parts.features, parts.pipeline, mesh, {"", kEdge, 1});
            QVERIFY(rollouts.levels(6).sigmas == parts.pipeline.levels(6, kEdge, kEdge).sigmas);
            QCOMPARE(rollouts.latentShape(), parts.pipeline.latentShape(kEdge, kEdge));
        }
    }

    void noiseLevelsOfVideosAreForEulerSteps_A010()
    {
        const Opened parts = opened("wan");  // of shift 3, to be sampled by UniPC
        engine::Mesh mesh = loneMesh();
        const ImageRollouts rollouts(parts.prompts, listOf({}), parts.features, parts.pipeline, mesh, {"", kEdge, 1, 1, 9});
        const engine::NoiseLevels levels = rollouts.levels(4);
        QVERIFY(!levels.uniPc);
        QVERIFY(at::allclose(at::tensor(levels.sigmas), at::tensor({1.0F, 0.9F, 0.75F, 0.5F, 0.0F})));
        QVERIFY(at::allclose(at::tensor(levels.timesteps), at::tensor({1000.0F, 900.0F, 750.0F, 500.0F})));
    }

    void rewardsSeeImagesAndPrompts()
    {
        const Opened parts = opened("pipeline_sd3");
        engine::Mesh mesh = loneMesh();
        std::vector<RewardBatch> seen;  // by the thread that scores
        auto list = listOf({{"mean", {[&](const RewardBatch& batch) {
                                          seen.push_back(batch);
                                          return means(batch);
                                      }, 2.0}}, {"ones", {[](const RewardBatch& batch) { return at::ones(batch.images.size(0)); }, 0.0}}});
        ImageRollouts rollouts(parts.prompts, std::move(list), parts.features, parts.pipeline, mesh, {"", kEdge, 1});
        const std::vector<std::vector<std::int64_t>> asked = {{0, 1}, {2, 2}};
        std::vector<at::Tensor> given;
        for (std::uint64_t pass = 0; pass < 2; ++pass)
            given.push_back(rollouts.rewards(latentsFor(rollouts, {2 * pass, 2 * pass + 1}), {2 * pass, 2 * pass + 1}, asked[pass]));
        rollouts.finishRewards();
        QCOMPARE(seen.size(), std::size_t {2});
        double sum = 0;
        for (std::uint64_t pass = 0; pass < 2; ++pass) {
            const at::Tensor decoded = parts.pipeline.decode(latentsFor(rollouts, {2 * pass, 2 * pass + 1}));
            const at::Tensor& images = seen[pass].images;
            QVERIFY(images.sizes() == at::IntArrayRef({2, 3, kEdge, kEdge}) && images.min().item<float>() >= 0 && images.max().item<float>() <= 1);
            QVERIFY(at::allclose(images, ((decoded + 1) / 2).clamp(0, 1), 0, 1e-6));
            QVERIFY(at::allclose(given[pass], 2 * means(seen[pass]), 0, 1e-6));
            sum += means(seen[pass]).sum().item<double>();
        }
        QCOMPARE(seen[0].prompts[0]->text, std::string("a red heart"));
        QCOMPARE(seen[0].prompts[1]->fields, std::string("{\"count\":2}"));
        QCOMPARE(seen[1].prompts[1]->text, std::string("ghost"));
        const engine::NamedNumbers numbers = rollouts.takeRewardMeans();
        QVERIFY(numbers.size() == 2 && std::abs(numbers.at("critic/mean/mean") - sum / 4) < 1e-6);  // not weighted
        QCOMPARE(numbers.at("critic/ones/mean"), 1.0);
    }

    /// The first batches are scored only after the last has been handed over.
    /// Each pair has the caption and, first, the latents of its preferred image.
    void pairsOfTheDataTakeThePlaceOfSamples_A076()
    {
        const fs::path folder = root() / "pairs";
        for (const auto& [name, level] : {std::pair("chosen/a", 250), {"rejected/a", 5}, {"chosen/b", 200}, {"rejected/b", 60}}) {
            fs::create_directories((folder / name).parent_path());
            engine::writePng((folder / name).string() + ".png", {kEdge, kEdge, 3, std::vector(kEdge * kEdge * 3, static_cast<std::uint8_t>(level))});
        }
        for (const char* name : {"a", "b"})
            std::ofstream(folder / "chosen" / (std::string(name) + ".txt")) << "image " << name;
        Opened opened = this->opened("pipeline_sd3");
        engine::Mesh mesh = loneMesh();
        const engine::PreparedImages images(
            {.folder = folder, .resolution = kEdge, .maxRatio = 1, .cache = root() / "cache", .encoders = "tiny"}, opened.pipeline, mesh.world(), [](const std::string&) {});
        opened.features.prepare({"image a", "image b", ""}, mesh.world(), [](const std::string&) {});
        ImageRollouts rollouts({}, listOf({}), opened.features, opened.pipeline, mesh, {"", kEdge});
        QVERIFY(!rollouts.hasPairs());
        const std::vector<engine::ImagePair> pairs = engine::imagePairs(images.training(), folder).pairs;
        rollouts.setPairs(pairs, images);
        QVERIFY(rollouts.hasPairs());
        QCOMPARE(rollouts.prompts(), 2);
        QCOMPARE(rollouts.promptList()[1].text, std::string("image b"));
        const at::Tensor latents = rollouts.pairs({1, 0});
        QCOMPARE(latents.size(0), 4);
        for (const auto& [row, name] : {std::pair(0, "chosen/b.png"), {1, "rejected/b.png"}, {2, "chosen/a.png"}, {3, "rejected/a.png"}}) {
            const auto image = std::ranges::find(images.training(), folder / name, &engine::PreparedImage::file);
            QVERIFY(image != images.training().end());
            QVERIFY2(at::equal(latents[row], images.latents(*image).mean), name);
        }
    }

    void aPairOfAnotherSizeIsNamed()
    {
        Opened opened = this->opened("pipeline_sd3");
        engine::Mesh mesh = loneMesh();
        const engine::PreparedImages none({.folder = {}, .resolution = kEdge, .cache = root() / "cache", .encoders = "tiny"}, opened.pipeline, mesh.world(), [](const std::string&) {});
        ImageRollouts rollouts({}, listOf({}), opened.features, opened.pipeline, mesh, {"", kEdge});
        engine::ImagePair pair;
        pair.chosen.file = "chosen/a.safetensors";
        pair.chosen.size = {64, 32};
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, rollouts.setPairs({pair}, none));
        pair.chosen.size = pair.rejected.size = {kEdge, kEdge};
        pair.chosen.frames = 5;  // samples have one
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, rollouts.setPairs({pair}, none));
        QVERIFY(!rollouts.hasPairs());
    }

    void samplesAreDrawnWhileOthersAreScored()
    {
        const Opened parts = opened("pipeline_sd3");
        engine::Mesh mesh = loneMesh();
        std::promise<void> drawn;
        const std::shared_future<void> allDrawn = drawn.get_future().share();
        ImageRollouts rollouts(parts.prompts, listOf({{"late", {[allDrawn](const RewardBatch& batch) {
                                                                   allDrawn.wait();
                                                                   return means(batch);
                                                               }, 1.0}}}),
            parts.features, parts.pipeline, mesh, {"", kEdge, 1});
        const at::Tensor latents = latentsFor(rollouts, {0, 1});
        const at::Tensor first = rollouts.rewards(latents, {0, 1}, {0, 0}), second = rollouts.rewards(latents, {2, 3}, {1, 1});
        drawn.set_value();
        rollouts.finishRewards();
        QVERIFY(at::equal(first, second) && first.min().item<float>() > 0);
    }

    void aRewardThatFailsSaysSo()
    {
        const Opened parts = opened("pipeline_sd3");
        engine::Mesh mesh = loneMesh();
        ImageRollouts rollouts(parts.prompts, listOf({{"nan", {[](const RewardBatch& batch) { return means(batch) * std::nan(""); }, 1.0}}}),
            parts.features, parts.pipeline, mesh, {"", kEdge, 1});
        rollouts.rewards(latentsFor(rollouts, {0}), {0}, {0});
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, rollouts.finishRewards());
    }

    void videosAreScoredByTheirFrames()
    {
        const Opened parts = opened("wan");
        engine::Mesh mesh = loneMesh();
        RewardBatch seen;  // by the thread that scores
        ImageRollouts rollouts(parts.prompts, listOf({{"mean", {[&](const RewardBatch& batch) {
                                                                    seen = batch;
                                                                    return means(batch);
                                                                }, 1.0}}}),
            parts.features, parts.pipeline, mesh, {"", kEdge, 1, 1, 9});
        QCOMPARE(rollouts.latentShape(), parts.pipeline.latentShape(kEdge, kEdge, 9));
        const at::Tensor latents = latentsFor(rollouts, {0, 1}), scores = rollouts.rewards(latents, {0, 1}, {0, 0});
        rollouts.finishRewards();
        QVERIFY(seen.images.sizes() == at::IntArrayRef({2, 9, 3, kEdge, kEdge}) && seen.images.is_contiguous());
        const at::Tensor each = at::cat({parts.pipeline.decode(latents.narrow(0, 0, 1)), parts.pipeline.decode(latents.narrow(0, 1, 1))});
        const at::Tensor decoded = ((each + 1) / 2).clamp(0, 1);  // [2, 3, 9, H, W]
        QVERIFY(at::allclose(seen.images.select(1, 4), decoded.select(2, 4), 0, 1e-6));
        QVERIFY(at::allclose(scores, decoded.flatten(1).mean(1), 0, 1e-6));
    }

    void whatCannotBeScoredIsRefused()
    {
        const Opened images = opened("pipeline_sd3");
        engine::Mesh mesh = loneMesh();
        const auto open = [&](const Opened& parts, std::int64_t edge) {
            return ImageRollouts(parts.prompts, listOf({}), parts.features, parts.pipeline, mesh, {"", edge, 1}).prompts();
        };
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, open(images, kEdge + 1));
        QCOMPARE(open(images, kEdge), std::int64_t {3});
    }
};

QTEST_GUILESS_MAIN(ImageRolloutsTest)
#include "tst_image_rollouts.moc"
