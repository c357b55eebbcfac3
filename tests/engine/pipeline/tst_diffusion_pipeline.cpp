// A pipeline's parts by themselves: how long prompts are, what goes through the autoencoder at once, what stays in memory.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/contract/safetensors_set.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "tests/support/live_memory.h"
#include "tests/support/tiny_pipelines.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstdlib>
#include <fstream>

using engine::DiffusionPipeline;

namespace {

namespace fs = std::filesystem;

fs::path golden(const char* name)
{
    const char* other = std::getenv("ATELIER_GOLDENS");
    return fs::path(other ? other : ATELIER_SOURCE_DIR "/tests/goldens") / "models" / name / "pipeline";
}

DiffusionPipeline opened(const fs::path& folder) { return {contract::ModelFolder(folder), {}}; }

/// Of a tensor of the autoencoder.
std::int64_t weightBytes(const fs::path& folder, const std::string& name)
{
    const contract::SafetensorsSet files(folder / "vae");
    return static_cast<std::int64_t>(files.items().at(name).tensor->elements() * sizeof(float));
}

/// Numbers from -1 to 1 that no two neighbours share.
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

    void largePicturesNeedLittleMemory_data()
    {
        QTest::addColumn<int>("pictures");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        QTest::newRow("one, in tiles") << 1 << 1408 << 1536;
        QTest::newRow("many, one after the other") << 240 << 96 << 96;
    }
    void largePicturesNeedLittleMemory()
    {
        QFETCH(int, pictures);
        QFETCH(int, height);
        QFETCH(int, width);
        const DiffusionPipeline pipeline = opened(golden("pipeline_sd3"));
        const auto shape = pipeline.latentShape(height, width);
        const at::Tensor latents = wavy({pictures, shape[0], shape[1], shape[2]});
        const std::int64_t finest = weightBytes(golden("pipeline_sd3"), "decoder.conv_norm_out.weight") / 4;  // channels
        const std::int64_t pixels = std::int64_t {pictures} * height * width;
        QVERIFY(pixels > DiffusionPipeline::kMostPixels);

        tests::LiveMemory memory;
        const at::Tensor decoded = pipeline.decode(latents);
        QCOMPARE(decoded.sizes(), at::IntArrayRef({pictures, 3, height, width}));
        // The decoder's last levels alone would be several tensors of this size.
        const std::int64_t whole = pixels * finest * static_cast<std::int64_t>(sizeof(float));
        QVERIFY2(memory.mostBytes() < whole, qPrintable(QString("%1 of %2 bytes").arg(memory.mostBytes()).arg(whole)));

        memory.resetMost();
        const std::int64_t before = memory.bytes();
        const auto encoded = pipeline.encode(decoded);
        QCOMPARE(encoded.mean.sizes(), latents.sizes());
        QVERIFY(memory.mostBytes() - before < whole);
        // The first tile, or the first picture, by itself.
        const std::int64_t own = pictures > 1 ? height : 48;
        const at::Tensor first = pipeline.decode(pictures > 1 ? latents.narrow(0, 0, 1) : latents.narrow(2, 0, 8).narrow(3, 0, 8));
        const auto corner = [&](const at::Tensor& picture) { return picture.narrow(0, 0, 1).narrow(2, 0, own).narrow(3, 0, own); };
        QVERIFY(at::allclose(corner(decoded), corner(first), 1e-4, 1e-5));
    }

    void theAutoencoderLeavesAndComesBack_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::newRow("E-212 Stable Diffusion 3") << QString::fromStdString(golden("pipeline_sd3").string());
        QTest::newRow("E-212 Qwen-Image") << QString::fromStdString(golden("pipeline_qwen_image").string());
        QTest::newRow("E-212 Wan") << QString::fromStdString(tests::makeWanFolder(root()).string());
    }
    void theAutoencoderLeavesAndComesBack()
    {
        QFETCH(QString, folder);
        DiffusionPipeline pipeline = opened(folder.toStdString());
        auto shape = pipeline.latentShape(32, 48, pipeline.framesWithin(5));
        shape.insert(shape.begin(), 1);
        const at::Tensor latents = wavy(shape);
        tests::LiveMemory memory;
        const at::Tensor first = pipeline.decode(latents);
        const auto picture = static_cast<std::int64_t>(first.nbytes());
        QVERIFY(memory.bytes() > picture + 10000);  // weights, for the next time
        pipeline.release();
        QVERIFY2(memory.bytes() <= picture + 1000, qPrintable(QString::number(memory.bytes() - picture)));
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
        QTest::newRow("E-212 unknown") << QByteArray("SanaPipeline") << QByteArray("is a SanaPipeline, which is not known here; known: AtelierPixelPipeline");
        QTest::newRow("E-014 edits") << QByteArray("QwenImageEditPlusPipeline")
                                     << QByteArray("is a QwenImageEditPlusPipeline: it reads prompts together with pictures by Qwen2.5-VL's vision tower");
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
