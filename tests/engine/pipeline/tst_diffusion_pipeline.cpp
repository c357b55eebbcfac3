// Parts of a pipeline: prompt lengths, the memory bound of the autoencoder, and the release of its weights.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "tests/engine/goldens/golden_folders.h"
#include "tests/paths.h"
#include "tests/support/live_memory.h"
#include "tests/support/tiny_pipelines.h"
#include "tests/support/whole_test.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <span>

using engine::DiffusionPipeline;

namespace {

namespace fs = std::filesystem;

/// The golden pipeline in this source tree; for tests that depend on the sizes of its autoencoder.
const fs::path kStableDiffusion3 = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";

DiffusionPipeline opened(const fs::path& folder) { return {contract::ModelFolder(folder), {}}; }

/// Bytes of a tensor of the autoencoder.
std::int64_t weightBytes(const fs::path& folder, const std::string& name)
{
    const contract::SafetensorsSet files(folder / "vae");
    return static_cast<std::int64_t>(files.items().at(name).tensor->elements() * sizeof(float));
}

/// Values from -1 to 1, different for any two neighbours.
at::Tensor wavy(at::IntArrayRef shape)
{
    return at::arange(c10::multiply_integers(shape), at::kDouble).mul(0.37).sin().to(at::kFloat).view(shape);
}

}  // namespace

class DiffusionPipelineTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path root() const { return m_folder.path().toStdString(); }

private Q_SLOTS:
    void eachFluxHasItsPromptsAndSteps_data()
    {
        QTest::addColumn<bool>("isDistilled");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("steps");
        QTest::newRow("dev") << true << 512 << 28;
        QTest::newRow("schnell") << false << 256 << 4;
    }
    void eachFluxHasItsPromptsAndSteps()
    {
        QFETCH(bool, isDistilled);
        QFETCH(int, tokens);
        QFETCH(int, steps);
        const DiffusionPipeline pipeline = opened(tests::makeFluxFolder(root(), isDistilled));
        const std::vector<std::string> prompts = {"a red cube"};
        QCOMPARE(pipeline.features(prompts).embeds.size(1), std::int64_t {tokens});
        QCOMPARE(pipeline.traits().steps, std::int64_t {steps});
    }

    void promptsOfOnePassAreThoseOfTheirOwn_data()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("defect-39: Stable Diffusion 3") << "pipeline_sd3";
        QTest::newRow("defect-39: Qwen-Image, which pads to the longest") << "pipeline_qwen_image";
    }
    void promptsOfOnePassAreThoseOfTheirOwn()
    {
        QFETCH(QString, model);
        const auto pipeline = opened(fs::path(ATELIER_SOURCE_DIR "/tests/goldens/models") / model.toStdString() / "pipeline");
        const std::vector<std::string> prompts = {"a red cube", "", "two blue cubes on a green table"};
        const auto all = pipeline.features(prompts);
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            const auto own = pipeline.features(std::span(&prompts[i], 1)), part = all.ofPrompt(static_cast<std::int64_t>(i));
            QCOMPARE(part.embeds.sizes().vec(), own.embeds.sizes().vec());
            QVERIFY(!part.mask.defined() && at::allclose(part.embeds, own.embeds, 1e-4, 1e-5));
            QCOMPARE(part.pooled.defined(), own.pooled.defined());
            QVERIFY(!own.pooled.defined() || at::allclose(part.pooled, own.pooled, 1e-4, 1e-5));
        }
    }

    void whatIsCutOffAPromptIsSaid_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QStringList>("readers");  // what each encoder reads at most
        QTest::newRow("defect-49: Stable Diffusion 3") << QString::fromStdString(kStableDiffusion3.string())
                                                       << QStringList {"text_encoder reads 75 of", "text_encoder_2 reads 75 of", "text_encoder_3 reads 255 of"};
        QTest::newRow("defect-49: FLUX.1 dev") << QString::fromStdString(tests::makeFluxFolder(root(), true).string())
                                               << QStringList {"text_encoder reads 75 of", "text_encoder_2 reads 511 of"};
        QTest::newRow("defect-49: Wan") << QString::fromStdString(tests::makeWanFolder(root()).string()) << QStringList {"text_encoder reads 511 of"};
    }
    /// A prompt is cut off exactly when its last words change no feature.
    void whatIsCutOffAPromptIsSaid()
    {
        QFETCH(QString, folder);
        QFETCH(QStringList, readers);
        const DiffusionPipeline pipeline = opened(folder.toStdString());
        const std::string start = QStringLiteral("red ").repeated(600).toStdString();
        const QString notice = QString::fromStdString(pipeline.truncationNotice(start + "cube"));
        for (const QString& reader : readers)
            QVERIFY2(notice.contains(reader), qPrintable(notice));
        QCOMPARE(notice.count(" reads "), readers.size());
        const auto embeds = [&](const std::string& prompt) { return pipeline.features(std::vector {prompt}).embeds; };
        QVERIFY(at::equal(embeds(start + "cube"), embeds(start + "sphere")));
        QVERIFY(pipeline.truncationNotice("a red cube").empty());
        QVERIFY(!at::equal(embeds("a red cube"), embeds("a red sphere")));
    }

    void largeImagesNeedLittleMemory_data()
    {
        QTest::addColumn<int>("images");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        if (!tests::isWhole())
            QSKIP("part of the whole test, label slow");
        QTest::newRow("one, in tiles") << 1 << 1408 << 1536;
        QTest::newRow("many, one after the other") << 240 << 96 << 96;
    }
    void largeImagesNeedLittleMemory()
    {
        QFETCH(int, images);
        QFETCH(int, height);
        QFETCH(int, width);
        const DiffusionPipeline pipeline = opened(kStableDiffusion3);
        const auto shape = pipeline.latentShape(height, width);
        const at::Tensor latents = wavy({images, shape[0], shape[1], shape[2]});
        const std::int64_t finest = weightBytes(kStableDiffusion3, "decoder.conv_norm_out.weight") / 4;  // channels
        const std::int64_t pixels = std::int64_t {images} * height * width;
        QVERIFY(pixels > DiffusionPipeline::kMaxPixels);

        tests::LiveMemory memory;
        const at::Tensor decoded = pipeline.decode(latents);
        QCOMPARE(decoded.sizes(), at::IntArrayRef({images, 3, height, width}));
        // The decoder's last levels alone would be several tensors of this size.
        const std::int64_t whole = pixels * finest * static_cast<std::int64_t>(sizeof(float));
        QVERIFY2(memory.mostBytes() < whole, qPrintable(QString("%1 of %2 bytes").arg(memory.mostBytes()).arg(whole)));

        memory.resetMost();
        const std::int64_t before = memory.bytes();
        const auto encoded = pipeline.encode(decoded);
        QCOMPARE(encoded.mean.sizes(), latents.sizes());
        QVERIFY(memory.mostBytes() - before < whole);
        // The first tile, or the first image, by itself.
        const std::int64_t own = images > 1 ? height : 48;
        const at::Tensor first = pipeline.decode(images > 1 ? latents.narrow(0, 0, 1) : latents.narrow(2, 0, 8).narrow(3, 0, 8));
        const auto corner = [&](const at::Tensor& image) { return image.narrow(0, 0, 1).narrow(2, 0, own).narrow(3, 0, own); };
        QVERIFY(at::allclose(corner(decoded), corner(first), 1e-4, 1e-5));
    }

    void theAutoencoderLeavesAndComesBack_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<qint64>("height");
        QTest::addColumn<qint64>("width");
        for (const fs::path& folder : tests::modelCases(tests::CaseKind::Pipeline)) {
            const auto json = tests::caseJson(folder);
            QTest::newRow(("E-212 " + folder.filename().string()).c_str()) << QString::fromStdString((folder / json.at("pipeline")).string())
                                                                           << json.at("height").get<qint64>() << json.at("width").get<qint64>();
        }
        QTest::newRow("E-212 Wan") << QString::fromStdString(tests::makeWanFolder(root()).string()) << qint64(32) << qint64(48);
    }
    void theAutoencoderLeavesAndComesBack()
    {
        QFETCH(QString, folder);
        QFETCH(qint64, height);
        QFETCH(qint64, width);
        DiffusionPipeline pipeline = opened(folder.toStdString());
        auto shape = pipeline.latentShape(height, width, pipeline.framesWithin(5));
        shape.insert(shape.begin(), 1);
        const at::Tensor latents = wavy(shape);
        tests::LiveMemory memory;
        const at::Tensor first = pipeline.decode(latents);
        const auto image = static_cast<std::int64_t>(first.nbytes());
        QVERIFY(memory.bytes() > image + 10000);  // weights, for the next time
        pipeline.release();
        QVERIFY2(memory.bytes() <= image + 1000, qPrintable(QString::number(memory.bytes() - image)));
        QVERIFY(at::equal(pipeline.decode(latents), first));
        pipeline.release();
        pipeline.release();
        const at::Tensor mean = pipeline.encode(first).mean;
        pipeline.release();
        QVERIFY(at::equal(pipeline.encode(first).mean, mean));
    }

    void onlyKnownPipelinesDraw_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("E-212 unknown") << QByteArray("SanaPipeline") << QByteArray("is a SanaPipeline, which is not supported; supported: AtelierPixelPipeline");
        QTest::newRow("E-014 edits") << QByteArray("QwenImageEditPlusPipeline")
                                     << QByteArray("is a QwenImageEditPlusPipeline: it reads prompts together with images by Qwen2.5-VL's vision tower");
    }
    void onlyKnownPipelinesDraw()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, said);
        std::ofstream(root() / "model_index.json") << "{\"_class_name\": \"" << name.constData() << "\", \"vae\": [\"diffusers\", \"AutoencoderDC\"]}";
        try {
            opened(root());
            QFAIL("it was opened");
        } catch (const engine::EngineError& error) {
            QVERIFY2(QByteArray(error.what()).contains(said), error.what());
        }
    }
};

QTEST_GUILESS_MAIN(DiffusionPipelineTest)
#include "tst_diffusion_pipeline.moc"
