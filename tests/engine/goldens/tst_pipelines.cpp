// Whole pipelines against what diffusers computed: prompts, noise levels, each step, the image.
#include "engine/models/registry.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/tasks/folder_weights.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/model_case.h"

#include <QtTest>

using tests::ModelCase;

namespace {

/// [B, h/2 · w/2, 4 C] → [B, C, h, w], as Qwen-Image's pipeline keeps its latents, and back.
at::Tensor unpacked(const at::Tensor& packed, std::int64_t height, std::int64_t width)
{
    const std::int64_t channels = packed.size(2) / 4;
    return packed.view({packed.size(0), height / 2, width / 2, channels, 2, 2}).permute({0, 3, 1, 4, 2, 5}).reshape({packed.size(0), channels, height, width});
}
at::Tensor packed(const at::Tensor& latents)
{
    const auto batch = latents.size(0), channels = latents.size(1), height = latents.size(2), width = latents.size(3);
    return latents.view({batch, channels, height / 2, 2, width / 2, 2}).permute({0, 2, 4, 1, 3, 5}).reshape({batch, height / 2 * (width / 2), channels * 4});
}

/// One run of a pipeline, on the ranks of a mesh.
class PipelineRun {
public:
    PipelineRun(ModelCase& golden, engine::Mesh& mesh)
        : m_golden(golden)
        , m_mesh(mesh)
        , m_folder(golden.folder() / golden.json().at("pipeline").get<std::string>())
        , m_pipeline(m_folder, {.device = tests::device(), .maxSequenceLength = golden.json().value("max_sequence_length", 0)})
        , m_height(golden.json().at("height"))
        , m_width(golden.json().at("width"))
        , m_isPacked(golden.input("latents").dim() == 3)
    {
    }

    std::string compare()
    {
        const auto positive = m_pipeline.features(prompts("prompts")), negative = m_pipeline.features(prompts("negative_prompts"));
        checkPrompts("", positive);
        checkPrompts("negative_", negative);

        const auto levels = m_pipeline.levels(m_golden.json().at("num_inference_steps"), m_height, m_width);
        check("sigmas", at::tensor(levels.sigmas));
        check("timesteps", at::tensor(levels.timesteps));

        const auto& traits = m_pipeline.traits();
        const double scale = m_golden.json().at(traits.guidance == engine::Guidance::Classifier ? "guidance_scale" : "true_cfg_scale");
        std::vector<at::Tensor> steps;
        const at::Tensor latents = sample({positive.asInput(), negative.asInput()}, levels, {traits.guidance, scale}, steps);
        check("step_latents", at::stack(steps));
        check("final_latents", asGiven(latents));
        if (m_isPacked)
            check("unpacked_latents", latents.unsqueeze(2));
        const at::Tensor images = m_pipeline.decode(latents);
        check("decoded", m_isPacked ? images.unsqueeze(2) : images);
        check("image", (images / 2 + 0.5).clamp(0, 1));
        return m_problem;
    }

private:
    std::vector<std::string> prompts(const char* key) const { return m_golden.json().at(key); }
    at::Tensor asGiven(const at::Tensor& latents) const { return m_isPacked ? packed(latents) : latents.clone(); }

    void checkPrompts(const std::string& prefix, const engine::PromptFeatures& features)
    {
        check(prefix + "prompt_embeds", features.embeds);
        if (features.pooled.defined())
            check(prefix + "pooled_prompt_embeds", features.pooled);
        if (m_golden.expects(prefix + "prompt_embeds_mask")) {
            const at::Tensor all = at::ones(features.embeds.sizes().slice(0, 2), features.embeds.options().dtype(at::kBool));
            check(prefix + "prompt_embeds_mask", (features.mask.defined() ? features.mask : all).to(at::kLong));
        }
    }

    at::Tensor sample(const engine::Conditions& prompts, const engine::NoiseLevels& levels, const engine::GuidanceOptions& guidance,
        std::vector<at::Tensor>& steps)
    {
        const auto model = engine::buildTransformer(m_folder.config("transformer"));
        engine::BufferPool pool(m_mesh.shard(), tests::device());
        engine::UnitSequence units(model->units(), m_mesh.shard(), pool, {.keepsAverage = false}, {}, std::nullopt);
        engine::loadFolderWeights(*model, units, m_mesh, m_folder.component("transformer"));
        const engine::UnitSequence::EvaluationScope scope(units, engine::Weights::Master);
        const auto shape = m_pipeline.latentShape(m_height, m_width);
        const at::Tensor given = m_golden.input("latents");
        return engine::sampleGuided(*model, units, m_isPacked ? unpacked(given, shape[1], shape[2]) : given, prompts, levels, guidance,
            [&](std::int64_t, const at::Tensor& latents) { steps.push_back(asGiven(latents)); });
    }

    void check(const std::string& name, const at::Tensor& actual)
    {
        if (const std::string problem = m_golden.check(name, actual); m_problem.empty())
            m_problem = problem;
    }

    ModelCase& m_golden;
    engine::Mesh& m_mesh;
    contract::ModelFolder m_folder;
    engine::DiffusionPipeline m_pipeline;
    std::int64_t m_height, m_width;
    bool m_isPacked;
    std::string m_problem;
};

}  // namespace

class PipelinesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void promptsBecomeTheImagesOfDiffusers_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("ranks");
        for (const auto& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Pipeline))) {
            for (const int ranks : {1, 2})
                QTest::newRow(qPrintable(QString("E-013 %1, %2 ranks").arg(folder.filename().c_str()).arg(ranks))) << QString(folder.c_str()) << ranks;
        }
    }
    void promptsBecomeTheImagesOfDiffusers()
    {
        QFETCH(QString, folder);
        QFETCH(int, ranks);
        const auto body = [&](engine::Mesh& mesh) {
            ModelCase golden(folder.toStdString());
            const std::string problem = PipelineRun(golden, mesh).compare();
            if (!problem.empty())
                qWarning("%s", problem.c_str());
            bool isWhole = true;
            for (const std::string& name : golden.unchecked()) {
                isWhole &= name.starts_with("tokenizer");  // tst_goldens-models_tokenizers
                if (!isWhole)
                    qWarning("nothing computes %s", name.c_str());
            }
            return problem.empty() && isWhole;
        };
        QCOMPARE(tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::SharedMemory, body),
            std::vector<int>(static_cast<std::size_t>(ranks), 0));
    }
};

QTEST_GUILESS_MAIN(PipelinesTest)
#include "tst_pipelines.moc"
