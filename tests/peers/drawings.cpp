#include "tests/peers/drawings.h"

#include "engine/diffusion/flow_matching.h"
#include "engine/models/registry.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/tasks/folder_weights.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/model_case.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>
#include <optional>

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace tests {
namespace {

const std::vector<std::string> kPrompts = {"A small red cube sits on top of a large blue sphere", " salt &amp;  pepper, caf&eacute; "};
constexpr char kNegative[] = "low quality, blurry";
constexpr std::int64_t kSteps = 4;

void writeTensor(const fs::path& file, const std::string& name, const at::Tensor& tensor)
{
    const at::Tensor values = tensor.to(at::kCPU, at::kFloat).contiguous();
    contract::SafetensorsWriter writer(file, {{name, "F32", values.sizes().vec()}}, {});
    writer.write(values.const_data_ptr<float>(), values.nbytes());
    writer.finish();
}

/// One of a folder's transformers with its weights.
class FolderTransformer {
public:
    FolderTransformer(const contract::ModelFolder& folder, const std::string& component, engine::Mesh& mesh)
        : m_model(engine::buildTransformer(folder.config(component)))
        , m_pool(mesh.shard(), at::kCPU)
        , m_units(m_model->units(), mesh.shard(), m_pool, {.keepsAverage = false}, {}, std::nullopt)
    {
        engine::loadFolderWeights(*m_model, m_units, mesh, folder.component(component));
        m_scope.emplace(m_units, engine::Weights::Master);
    }
    at::Tensor velocity(const engine::ModelInput& input) { return engine::predict(*m_model, m_units, input); }

private:
    std::unique_ptr<engine::Model> m_model;
    engine::BufferPool m_pool;
    engine::UnitSequence m_units;
    std::optional<engine::UnitSequence::EvaluationScope> m_scope;
};

/// Draws, and leaves the first latents and the result below @p root.
void draw(const Drawing& drawing, engine::Mesh& mesh, const fs::path& root)
{
    const contract::ModelFolder folder(drawing.folder);
    const engine::DiffusionPipeline pipeline(folder, {});
    const auto rows = static_cast<std::int64_t>(kPrompts.size());
    const at::Tensor noise = engine::normalRows({0, 1}, pipeline.latentShape(drawing.height, drawing.width, drawing.frames), 5, drawing.name, 0);
    FolderTransformer transformer(folder, "transformer", mesh);
    std::optional<FolderTransformer> second;
    if (folder.has("transformer_2"))
        second.emplace(folder, "transformer_2", mesh);
    const engine::Denoiser denoiser = [&](const engine::ModelInput& input, double timestep) {
        return (second && timestep < pipeline.boundaryTimestep() ? *second : transformer).velocity(input);
    };
    const std::vector<std::string> negatives(static_cast<std::size_t>(rows), kNegative);
    const at::Tensor latents = engine::sampleGuided(denoiser, noise, {pipeline.features(kPrompts).asInput(), pipeline.features(negatives).asInput()},
        pipeline.levels(kSteps, drawing.height, drawing.width, drawing.frames), {pipeline.traits().guidance, drawing.guidance});
    writeTensor(root / (drawing.name + "-latents.safetensors"), "latents", noise);
    writeTensor(root / (drawing.name + "-ours.safetensors"), "images", (pipeline.decode(latents) / 2 + 0.5).clamp(0, 1));
}

}  // namespace

QString peersPython()
{
    int exitCode = 0;
    const QString python = QString::fromUtf8(outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode)).trimmed();
    QTest::qVerify(exitCode == 0, "tests/peers/environment", "", __FILE__, __LINE__);
    return python;
}

void drawTwice(const std::vector<Drawing>& drawings, const QString& python, const fs::path& root)
{
    const auto body = [&](engine::Mesh& mesh) {
        for (const Drawing& drawing : drawings)
            draw(drawing, mesh, root);
        return true;
    };
    QCOMPARE(runRanks({.world = 1, .shard = 1}, engine::Exchange::SharedMemory, body), std::vector<int> {0});

    Json jobs = Json::array();
    for (const Drawing& drawing : drawings) {
        jobs.push_back({{"class", contract::ModelFolder(drawing.folder).className()},
            {"folder", (drawing.peerFolder.empty() ? drawing.folder : drawing.peerFolder).string()}, {"adapter", drawing.peerAdapter.string()}, {"prompts", kPrompts},
            {"negative", kNegative}, {"height", drawing.height}, {"width", drawing.width}, {"frames", drawing.frames}, {"steps", kSteps},
            {"guidance", drawing.guidance}, {"latents", (root / (drawing.name + "-latents.safetensors")).string()},
            {"images", (root / (drawing.name + "-theirs.safetensors")).string()}});
    }
    std::ofstream(root / "jobs.json") << jobs;
    int exitCode = 0;
    const QByteArray told = outputOf(python, {ATELIER_SOURCE_DIR "/tests/peers/run_pipelines.py", QString::fromStdString((root / "jobs.json").string())}, &exitCode);
    QVERIFY2(exitCode == 0, told);
}

void compareDrawings(const std::vector<Drawing>& drawings, const fs::path& root)
{
    for (const Drawing& drawing : drawings) {
        const at::Tensor ours = tensorsOf(root / (drawing.name + "-ours.safetensors")).at("images");
        const at::Tensor theirs = tensorsOf(root / (drawing.name + "-theirs.safetensors")).at("images");
        QVERIFY2(ours.sizes() == theirs.sizes(), drawing.name.c_str());
        const double difference = (ours - theirs).abs().max().item<double>(), spread = theirs.std().item<double>();
        QVERIFY2(difference < 1e-3 && spread > 0.01, qPrintable(QString("%1: off by %2, spread %3").arg(drawing.name.c_str()).arg(difference).arg(spread)));
    }
}

}  // namespace tests
