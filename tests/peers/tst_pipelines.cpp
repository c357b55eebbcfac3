// Images and videos of prompts: Atelier's and those of diffusers' own pipelines, from the same folders and first latents.
#include "engine/pipeline/diffusion_pipeline.h"
#include "tests/engine/goldens/model_case.h"
#include "tests/paths.h"
#include "tests/peers/drawings.h"
#include "tests/peers/program_output.h"
#include "tests/support/tiny_pipelines.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

namespace fs = std::filesystem;
using Json = nlohmann::json;
using tests::Drawing;

class PeerPipelinesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path root() const { return m_folder.path().toStdString(); }
    /// Of this tree alone: tst_goldens-models_pipelines takes those of any folder.
    static fs::path golden(const char* name) { return fs::path(ATELIER_SOURCE_DIR "/tests/goldens/models") / name / "pipeline"; }
    /// One of Wan 2.2's form with 5 thousand million parameters: another autoencoder, and a time for each token.
    fs::path wan22(const QString& python) const
    {
        fs::create_directories(root() / "2.2");
        const fs::path folder = tests::makeWanFolder(root() / "2.2");
        int exitCode = 0;
        tests::outputOf(python, {ATELIER_SOURCE_DIR "/tests/peers/make_autoencoder.py", QString::fromStdString(folder.string()), m_folder.filePath("wan22.safetensors")}, &exitCode);
        QTest::qVerify(exitCode == 0, "make_autoencoder.py", "", __FILE__, __LINE__);
        std::ifstream stream(folder / "model_index.json");
        Json index = Json::parse(stream);
        index["expand_timesteps"] = true;
        std::ofstream(folder / "model_index.json") << index;
        return folder;
    }
    std::vector<Drawing> drawings(const QString& python) const
    {
        return {{"sd3", golden("pipeline_sd3"), 64, 48, 1, 5.5}, {"qwen-image", golden("pipeline_qwen_image"), 48, 64, 1, 3.0},
            {"flux-dev", tests::makeFluxFolder(root(), true), 64, 48, 1, 3.5}, {"flux-schnell", tests::makeFluxFolder(root(), false), 48, 48, 1, 3.5},
            {"wan", tests::makeWanFolder(root()), 32, 48, 9, 5.0}, {"wan of one frame", tests::makeWanFolder(root()), 32, 32, 1, 1.0},
            {"wan of two experts", tests::makeWanFolder(root(), 2), 32, 32, 5, 4.0}, {"wan 2.2", wan22(python), 32, 48, 9, 5.0}};
    }

private Q_SLOTS:
    void diffusersPipelinesDrawTheSame()
    {
        const QString python = tests::peersPython();
        const std::vector<Drawing> all = drawings(python);
        tests::drawTwice(all, python, root());
        if (QTest::currentTestFailed())
            return;
        const auto video = tests::tensorsOf(root() / "wan22.safetensors");
        const at::Tensor latents = engine::DiffusionPipeline(contract::ModelFolder(all.back().folder), {}).encode(video.at("video")).mean;
        QVERIFY(at::allclose(latents, video.at("latents"), 1e-3, 1e-4));
        tests::compareDrawings(all, root());
    }
};

QTEST_GUILESS_MAIN(PeerPipelinesTest)
#include "tst_pipelines.moc"
