// Batches of captioned images: the same on any number of ranks, of one size each, read from the cache.
#include <ATen/ATen.h>

#include "engine/comm/group.h"
#include "engine/contract/formats/safetensors.h"
#include "engine/data/png.h"
#include "engine/tasks/image_batches.h"
#include "tests/paths.h"

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <map>
#include <optional>
#include <set>

using engine::FlowBatch;
using engine::ImageBatches;
using engine::PreparedImages;

class ImageBatchesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::optional<engine::DiffusionPipeline> m_pipeline;
    engine::LoneGroup m_lone;
    std::vector<std::string> m_told;

    std::filesystem::path images() const { return m_folder.filePath("images").toStdString(); }

    std::filesystem::path folder(const char* name) const { return m_folder.filePath(name).toStdString(); }

    PreparedImages prepared(engine::ImageOptions options)
    {
        m_told.clear();
        options.resolution = 64;
        options.seed = 3;
        options.cache = folder("cache");
        options.encoders = "tiny";
        return PreparedImages(options, *m_pipeline, m_lone, [&](const std::string& what) { m_told.push_back(what); });
    }
    PreparedImages prepared(double validationFraction = 0) { return prepared({.folder = images(), .validationFraction = validationFraction}); }

    /// An image whose right half is masked.
    void paintMasked(const char* name) const
    {
        std::filesystem::create_directories(folder(name));
        QImage mask(64, 64, QImage::Format_Grayscale8);
        mask.fill(Qt::black);
        for (int y = 0; y < 64; ++y) {
            for (int x = 0; x < 32; ++x)
                mask.setPixelColor(x, y, Qt::white);
        }
        QVERIFY(mask.save(QString::fromStdString((folder(name) / "a-masklabel.png").string())));
        QImage bitmap(64, 64, QImage::Format_RGB888);
        bitmap.fill(Qt::green);
        QVERIFY(bitmap.save(QString::fromStdString((folder(name) / "a.png").string())));
    }

    void writeTensors(const char* name, const std::map<std::string, at::Tensor>& tensors) const
    {
        std::vector<contract::SafetensorsTensor> entries;
        for (const auto& [key, tensor] : tensors)
            entries.push_back({key, tensor.scalar_type() == at::kFloat ? "F32" : "BF16", tensor.sizes().vec()});
        contract::SafetensorsWriter writer(folder(name).string() + ".safetensors", entries, {});
        for (const auto& [key, tensor] : tensors)
            writer.write(tensor.contiguous().const_data_ptr(), tensor.nbytes());
        writer.finish();
    }

    static engine::ImageBatchOptions options(std::int64_t micro, std::int64_t global)
    {
        return {.microBatch = micro, .globalBatch = global, .captions = {.dropout = 0.3}, .sigmas = {}, .seed = 5};
    }

    static at::Tensor joined(const std::vector<FlowBatch>& parts, at::Tensor FlowBatch::*field)
    {
        std::vector<at::Tensor> tensors;
        for (const FlowBatch& part : parts)
            tensors.push_back(part.*field);
        return at::cat(tensors);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_pipeline.emplace(contract::ModelFolder(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline"), engine::PromptEncoderOptions {.maxSequenceLength = 8});
        std::filesystem::create_directories(images());
        for (int i = 0; i < 9; ++i) {
            const int width = i < 6 ? 40 : 80, height = 40;
            engine::Pixels pixels {width, height, 3, {}};
            for (int place = 0; place < width * height * 3; ++place)
                pixels.values.push_back(static_cast<std::uint8_t>(place * (i + 3) + place / 97));
            const std::string name = "image" + std::to_string(i);
            engine::writePng(images() / (name + ".png"), pixels);
            std::ofstream(images() / (name + ".txt")) << "caption " << i;
        }
    }

    void ranksDivideTheSameRows_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("passes");
        QTest::newRow("2 ranks") << 2 << 1;
        QTest::newRow("1 rank in 2 passes") << 1 << 2;
        QTest::newRow("2 ranks in 2 passes") << 2 << 2;
    }
    void ranksDivideTheSameRows()
    {
        QFETCH(int, ranks);
        QFETCH(int, passes);
        const PreparedImages data = prepared();
        ImageBatches whole(data, options(4, 4)), parts(data, options(4 / ranks / passes, 4));
        for (std::int64_t step = 0; step < 5; ++step) {
            const FlowBatch expected = whole.batch({.step = step, .samplesSeen = step * 4});
            std::vector<FlowBatch> shares;
            for (std::int64_t pass = 0; pass < passes; ++pass) {
                for (int rank = 0; rank < ranks; ++rank)
                    shares.push_back(parts.batch({.step = step, .samplesSeen = step * 4, .micro = pass, .rank = rank, .ranks = ranks}));
            }
            for (const auto field : {&FlowBatch::prompt, &FlowBatch::pooled})
                QVERIFY(at::equal(joined(shares, field), expected.*field));
            std::vector<at::Tensor> noisy;
            for (const FlowBatch& share : shares)
                noisy.push_back(share.noisy);
            QVERIFY(at::equal(at::cat(noisy), expected.noisy));
        }
    }

    void theCleanLatentsAreTheAutoencoders()
    {
        const PreparedImages data = prepared();
        ImageBatches batches(data, options(2, 2));
        const FlowBatch batch = batches.batch({});
        const at::Tensor clean = batch.noisy - batch.sigmas.view({-1, 1, 1, 1}) * batch.target;  // x_σ - σ v = x_0
        bool isFound = false;
        for (const auto& image : data.training()) {
            const auto latents = data.latents(image);
            if (latents.mean.sizes() == clean[0].sizes())
                isFound |= ((clean[0] - latents.mean) / latents.deviation).abs().max().item<double>() < 6;  // of a normal draw
        }
        QVERIFY(isFound);
    }

    void everyBatchHasOneSizeAndEverySizeComes()
    {
        const PreparedImages data = prepared();
        QCOMPARE(data.buckets().size(), 2U);
        ImageBatches batches(data, options(3, 3));
        std::set<std::int64_t> widths;
        for (std::int64_t step = 0; step < 6; ++step)
            widths.insert(batches.batch({.step = step, .samplesSeen = step * 3}).noisy.size(3));
        QCOMPARE(widths.size(), 2U);
    }

    void aResumeWithAnotherBatchKeepsEachStepToOneSize_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("defect-4: 1 rank") << 1;
        QTest::newRow("defect-4: 2 ranks") << 2;
    }
    /// 6 samples were seen in batches of 6, or of 2 or 3; then they are of 4.
    void aResumeWithAnotherBatchKeepsEachStepToOneSize()
    {
        QFETCH(int, ranks);
        const PreparedImages data = prepared();
        ImageBatches batches(data, options(4 / ranks, 4));
        std::set<std::int64_t> widths;
        for (std::int64_t step = 1; step < 13; ++step) {
            std::set<std::int64_t> ofStep;
            for (int rank = 0; rank < ranks; ++rank)
                ofStep.insert(batches.batch({.step = step, .samplesSeen = 2 + step * 4, .rank = rank, .ranks = ranks}).noisy.size(3));
            QCOMPARE(ofStep.size(), 1U);
            widths.merge(ofStep);
        }
        QCOMPARE(widths.size(), 2U);
    }

    void theCacheIsUsedAgain()
    {
        const PreparedImages first = prepared();
        const PreparedImages again = prepared();
        QVERIFY(m_told.empty());
        QCOMPARE(again.training().size(), 9U);
        again.prompts().prepare({"caption 1", "caption 2"}, m_lone, [&](const std::string& what) { m_told.push_back(what); });
        m_told.clear();
        again.prompts().prepare({"caption 1", "caption 2"}, m_lone, [&](const std::string& what) { m_told.push_back(what); });
        QVERIFY(m_told.empty());
    }

    void heldOutImagesAreNotTrained()
    {
        const PreparedImages data = prepared(0.34);
        QCOMPARE(data.validation().size(), 3U);
        QCOMPARE(data.training().size(), 6U);
        for (const auto& held : data.validation()) {
            for (const auto& trained : data.training())
                QVERIFY(held.file != trained.file);
        }
    }

    void readingAheadChangesNothing()
    {
        const PreparedImages data = prepared();
        ImageBatches inOrder(data, options(2, 4));
        std::vector<FlowBatch> ahead;
        for (std::int64_t i = 0; i < 8; ++i)
            ahead.push_back(inOrder.batch({.step = i / 2, .samplesSeen = i / 2 * 4, .micro = i % 2}));
        for (std::int64_t i = 0; i < 8; ++i) {
            ImageBatches fresh(data, options(2, 4));  // has read nothing yet
            const FlowBatch expected = fresh.batch({.step = i / 2, .samplesSeen = i / 2 * 4, .micro = i % 2});
            const FlowBatch& seen = ahead[static_cast<std::size_t>(i)];
            QVERIFY(at::equal(seen.noisy, expected.noisy) && at::equal(seen.prompt, expected.prompt) && at::equal(seen.pooled, expected.pooled));
        }
        const FlowBatch back = inOrder.batch({});  // another than the one that was read ahead
        QVERIFY(at::equal(back.noisy, ahead[0].noisy));
    }

    void repeatsArePartOfAnEpoch()
    {
        std::filesystem::create_directories(folder("repeated") / "3_thrice");
        std::filesystem::copy(images() / "image0.png", folder("repeated") / "once.png");
        std::filesystem::copy(images() / "image1.png", folder("repeated") / "3_thrice" / "often.png");
        const PreparedImages data = prepared({.folder = folder("repeated"), .hasRepeats = true});
        const auto buckets = data.buckets();
        QCOMPARE(buckets.size(), 1U);
        std::map<std::string, int> seen;
        for (const std::int64_t row : buckets.front())
            ++seen[data.training()[static_cast<std::size_t>(row)].file.stem().string()];
        QCOMPARE(seen, (std::map<std::string, int> {{"often", 3}, {"once", 1}}));
    }

    void priorImagesAreAsManyAsTheOthersAndHaveTheirWeight()
    {
        std::filesystem::create_directories(folder("prior"));
        for (const char* name : {"image0", "image1"})
            std::filesystem::copy(images() / (std::string(name) + ".png"), folder("prior") / (std::string(name) + "-prior.png"));
        const PreparedImages data = prepared({.folder = images(), .priorFolder = folder("prior"), .priorWeight = 0.25, .validationFraction = 0.34});
        std::size_t prior = 0, own = 0;
        for (const auto& bucket : data.buckets()) {
            for (const std::int64_t row : bucket)
                ++(data.training()[static_cast<std::size_t>(row)].isPrior ? prior : own);
        }
        QCOMPARE(own, 6U);
        QCOMPARE(prior, own);
        for (const auto& held : data.validation())
            QVERIFY(!held.isPrior);
        ImageBatches batches(data, options(4, 4));
        std::set<float> weights;
        for (std::int64_t step = 0; step < 6; ++step) {
            const at::Tensor each = batches.batch({.step = step, .samplesSeen = step * 4}).weights;
            QVERIFY(!each.defined() || (each.size(0) == 4 && each.size(1) == 1));
            for (std::int64_t row = 0; row < 4; ++row)
                weights.insert(each.defined() ? each[row].max().item<float>() : 1.0F);  // of a batch without any
        }
        QCOMPARE(weights, (std::set<float> {0.25F, 1.0F}));
    }

    void masksWeighTheLossAtTheSizeOfLatents()
    {
        paintMasked("masked");
        const PreparedImages data = prepared({.folder = folder("masked"), .unmaskedWeight = 0.2});
        QCOMPARE(data.training().size(), 1U);
        ImageBatches batches(data, options(1, 1));
        const FlowBatch batch = batches.batch({});
        QCOMPARE(batch.weights.sizes().slice(2), batch.noisy.sizes().slice(2));
        const std::int64_t width = batch.weights.size(3);
        const at::Tensor left = batch.weights.narrow(3, 0, width / 2 - 1), right = batch.weights.narrow(3, width / 2 + 1, width / 2 - 1);
        QVERIFY(at::allclose(left, at::ones_like(left)) && at::allclose(right, at::full_like(right, 0.2)));
    }

    void transparencyMayBeAMask()
    {
        std::filesystem::create_directories(folder("clear"));
        QImage bitmap(64, 64, QImage::Format_ARGB32);
        bitmap.fill(Qt::transparent);
        for (int y = 0; y < 64; ++y) {
            for (int x = 0; x < 32; ++x)
                bitmap.setPixelColor(x, y, Qt::red);
        }
        QVERIFY(bitmap.save(QString::fromStdString((folder("clear") / "a.png").string())));
        const PreparedImages masked = prepared({.folder = folder("clear"), .hasAlphaMasks = true});
        const at::Tensor mask = masked.latents(masked.training()[0]).mask;
        QVERIFY(mask.defined() && mask.min().item<float>() < 0.01F && mask.max().item<float>() > 0.99F);
        QVERIFY(std::abs(mask.mean().item<float>() - 0.5F) < 0.02F);
        const PreparedImages whole = prepared({.folder = folder("clear")});
        QVERIFY(!whole.latents(whole.training()[0]).mask.defined());
    }

    void tensorsOfOtherProgramsAreTakenAsTheyAre()
    {
        std::filesystem::create_directories(folder("tensors"));
        const PreparedImages encoded = prepared();
        const engine::PromptFeatures model = encoded.prompts().features(std::string());
        const at::Tensor encodedOne = encoded.latents(encoded.training()[0]).mean;
        const std::int64_t channels = encodedOne.size(0), factor = encoded.training()[0].size.width / encodedOne.size(2);
        const at::Tensor latents = at::randn({channels, 8, 8}), prompt = at::randn({5, model.embeds.size(2)}), pooled = at::randn({model.pooled.size(1)});
        writeTensors("tensors/good", {{"latents", latents}, {"prompt_embeds", prompt}, {"pooled_prompt_embeds", pooled}});
        writeTensors("tensors/plain", {{"latents", latents.to(at::kBFloat16)}});
        writeTensors("tensors/wide", {{"latents", at::randn({channels + 1, 8, 8})}});
        writeTensors("tensors/flat", {{"latents", at::randn({channels, 64})}});
        writeTensors("tensors/other", {{"latents", latents}, {"prompt_embeds", at::randn({5, 7})}, {"pooled_prompt_embeds", pooled}});
        std::ofstream(folder("tensors") / "cut.safetensors") << "cut";
        std::ofstream(folder("tensors") / "plain.txt") << "caption 1";
        const PreparedImages data = prepared({.folder = folder("tensors")});
        QCOMPARE(data.training().size(), 2U);
        QCOMPARE(data.broken().size(), 4U);
        for (const auto& broken : data.broken())
            QVERIFY2(broken.reason.find(broken.file.filename().string()) != std::string::npos, broken.reason.c_str());
        const auto& good = data.training()[0];
        QVERIFY(at::equal(data.latents(good).mean, latents) && data.latents(good).deviation.abs().max().item<float>() == 0);
        QVERIFY(at::equal(data.features(good, good.caption).embeds[0], prompt) && at::equal(data.features(good, good.caption).pooled[0], pooled));
        QVERIFY(at::equal(data.features(good, "").embeds, data.prompts().features(std::string()).embeds));  // dropped
        const auto& plain = data.training()[1];
        QVERIFY(at::equal(data.features(plain, plain.caption).embeds, data.prompts().features("caption 1").embeds));
        QCOMPARE(std::int64_t {good.size.width}, 8 * factor);
    }

    void promptsOfDifferentLengthGetAMask()
    {
        const at::Tensor two = at::ones({1, 2, 4}), three = at::full({1, 3, 4}, 2);
        const auto features = engine::stacked({{two, {}, at::ones({1, 5})}, {three, {}, at::zeros({1, 5})}});
        QVERIFY(at::equal(features.mask, at::tensor({1, 1, 0, 1, 1, 1}).view({2, 3}).to(at::kBool)));
        QVERIFY(at::equal(features.embeds[0][2], at::zeros(4)) && at::equal(features.embeds[1], three[0]));
        QVERIFY(at::equal(features.pooled, at::cat({at::ones({1, 5}), at::zeros({1, 5})})));
        QVERIFY(!engine::stacked({{two, {}, {}}, {two, {}, {}}}).mask.defined());
    }
};

QTEST_GUILESS_MAIN(ImageBatchesTest)
#include "tst_image_batches.moc"
