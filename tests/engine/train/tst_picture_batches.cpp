// Batches of captioned pictures: the same on any number of ranks, of one size each, read from the cache.
#include <ATen/ATen.h>

#include "engine/comm/group.h"
#include "engine/data/png.h"
#include "engine/train/picture_batches.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <optional>
#include <set>

using engine::FlowBatch;
using engine::PictureBatches;
using engine::PreparedPictures;

class PictureBatchesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::optional<engine::ImagePipeline> m_pipeline;
    engine::LoneGroup m_lone;
    std::vector<std::string> m_told;

    std::filesystem::path pictures() const { return m_folder.filePath("pictures").toStdString(); }

    PreparedPictures prepared(double validationFraction = 0)
    {
        m_told.clear();
        return PreparedPictures({.folder = pictures(), .resolution = 64, .maxRatio = 2, .validationFraction = validationFraction, .seed = 3,
                                    .cache = m_folder.filePath("cache").toStdString(), .encoders = "tiny"},
            *m_pipeline, m_lone, [&](const std::string& what) { m_told.push_back(what); });
    }

    static engine::PictureBatchOptions options(std::int64_t micro, std::int64_t global)
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
        std::filesystem::create_directories(pictures());
        for (int i = 0; i < 9; ++i) {
            const int width = i < 6 ? 40 : 80, height = 40;
            engine::Pixels pixels {width, height, 3, {}};
            for (int place = 0; place < width * height * 3; ++place)
                pixels.values.push_back(static_cast<std::uint8_t>(place * (i + 3) + place / 97));
            const std::string name = "picture" + std::to_string(i);
            engine::writePng(pictures() / (name + ".png"), pixels);
            std::ofstream(pictures() / (name + ".txt")) << "caption " << i;
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
        const PreparedPictures data = prepared();
        PictureBatches whole(data, options(4, 4)), parts(data, options(4 / ranks / passes, 4));
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
        const PreparedPictures data = prepared();
        PictureBatches batches(data, options(2, 2));
        const FlowBatch batch = batches.batch({});
        const at::Tensor clean = batch.noisy - batch.sigmas.view({-1, 1, 1, 1}) * batch.target;  // x_σ - σ v = x_0
        bool isFound = false;
        for (const auto& picture : data.training()) {
            const auto latents = data.latents(picture);
            if (latents.mean.sizes() == clean[0].sizes())
                isFound |= ((clean[0] - latents.mean) / latents.deviation).abs().max().item<double>() < 6;  // of a normal draw
        }
        QVERIFY(isFound);
    }

    void everyBatchHasOneSizeAndEverySizeComes()
    {
        const PreparedPictures data = prepared();
        QCOMPARE(data.buckets().size(), 2U);
        PictureBatches batches(data, options(3, 3));
        std::set<std::int64_t> widths;
        for (std::int64_t step = 0; step < 6; ++step)
            widths.insert(batches.batch({.step = step, .samplesSeen = step * 3}).noisy.size(3));
        QCOMPARE(widths.size(), 2U);
    }

    void theCacheIsUsedAgain()
    {
        const PreparedPictures first = prepared();
        const PreparedPictures again = prepared();
        QVERIFY(m_told.empty());
        QCOMPARE(again.training().size(), 9U);
        again.prepareTexts({"caption 1", "caption 2"}, m_lone, [&](const std::string& what) { m_told.push_back(what); });
        m_told.clear();
        again.prepareTexts({"caption 1", "caption 2"}, m_lone, [&](const std::string& what) { m_told.push_back(what); });
        QVERIFY(m_told.empty());
    }

    void heldOutPicturesAreNotTrained()
    {
        const PreparedPictures data = prepared(0.34);
        QCOMPARE(data.validation().size(), 3U);
        QCOMPARE(data.training().size(), 6U);
        for (const auto& held : data.validation()) {
            for (const auto& trained : data.training())
                QVERIFY(held.file != trained.file);
        }
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

QTEST_GUILESS_MAIN(PictureBatchesTest)
#include "tst_picture_batches.moc"
