#include "engine/train/generation.h"

#include "engine/comm/errors.h"
#include "engine/contract/text.h"
#include "engine/data/png.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/model/adapter_source.h"
#include "engine/model/registry.h"
#include "engine/pipeline/image_pipeline.h"
#include "engine/train/folder_weights.h"
#include "engine/train/run_setup.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

namespace engine {
namespace {

/// The options of a run that matter to one that only draws.
contract::Experiment experimentFor(const contract::ImageRequest& request)
{
    contract::Experiment experiment;
    experiment.set("run.device", request.device);
    experiment.set("engine.compute_dtype", request.dtype);
    experiment.set("ema.decay", 0.0);
    return experiment;
}

class Generation {
public:
    Generation(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& tell)
        : m_request(request)
        , m_identity(identity)
        , m_tell(tell)
        , m_experiment(experimentFor(request))
        , m_compute(chooseCompute(m_experiment, identity))
        , m_mesh(joinMesh(m_experiment, identity, m_compute.accelerator))
        , m_folder(request.model)
        , m_pipeline(m_folder, {dtypeOf(request.dtype), m_compute.device})
        , m_shape(m_pipeline.latentShape(request.height, request.width))
        , m_guidance {m_pipeline.traits().guidance, request.guidance < 0 ? m_pipeline.traits().scale : request.guidance}
        , m_steps(request.steps > 0 ? request.steps : m_pipeline.traits().steps)
    {
    }

    void run()
    {
        say("progress loads the transformer");
        const auto model = buildTransformer(m_folder.config("transformer"));
        auto specs = model->units();
        std::optional<contract::AdapterFile> adapter;
        if (!m_request.adapter.empty()) {
            adapter = contract::readAdapter(m_request.adapter, linearModules(specs));
            declareAdapters(specs, adapterLayers(*adapter), {kDefaultAdapter});
        }
        BufferPool pool(m_mesh->shard(), m_compute.device);
        UnitSequence units(std::move(specs), m_mesh->shard(), pool, unitOptions(m_experiment, *m_mesh, nullptr),
            sequenceOptions(m_experiment), std::nullopt);
        loadFolderWeights(*model, units, *m_mesh, m_folder.component("transformer"));
        std::optional<Adapters> adapters;
        if (adapter) {
            loadAdapter(units, *m_mesh, *adapter, kDefaultAdapter);
            adapters.emplace(units, adapterLayers(*adapter), std::vector<std::string> {kDefaultAdapter});
            adapters->setWeight(m_request.adapterWeight);
        }
        const UnitSequence::EvaluationScope scope(units, Weights::Master);
        const std::int64_t count = static_cast<std::int64_t>(m_request.prompts.size()), ranks = m_mesh->data().size();
        // Ranks without a picture of their own draw the last one again: every pass is a collective.
        for (std::int64_t first = 0; first < count; first += ranks) {
            const std::int64_t number = first + m_mesh->data().rank();
            const at::Tensor pictures = draw(*model, units, std::min(number, count - 1));
            if (number < count)
                write(pictures, number);
        }
        m_mesh->world().barrier("at the end");
        for (std::int64_t number = 0; number < count; ++number)
            say("file " + fileOf(number));
    }

private:
    at::Tensor draw(const Model& model, UnitSequence& units, std::int64_t number)
    {
        GuidedPrompts prompts {featuresOf(m_request.prompts[static_cast<std::size_t>(number)]), {}};
        if (m_guidance.kind != Guidance::Distilled)
            prompts.negative = featuresOf(m_request.negative);
        const at::Tensor noise = normalRows({static_cast<std::uint64_t>(number)}, m_shape,
            static_cast<std::uint64_t>(m_request.seed), "generated", 0);
        const at::Tensor latents = sampleGuided(model, units, noise.to(m_compute.device), prompts,
            m_pipeline.levels(m_steps, m_request.height, m_request.width), m_guidance, [&](std::int64_t step, const at::Tensor&) {
                say("progress picture " + std::to_string(number + 1) + " of " + std::to_string(m_request.prompts.size()) + ", step "
                    + std::to_string(step + 1) + " of " + std::to_string(m_steps));
            });
        return m_pipeline.decode(latents);
    }

    PromptFeatures featuresOf(const std::string& prompt) const { return m_pipeline.features(std::span(&prompt, 1)); }

    void write(const at::Tensor& pictures, std::int64_t number) const
    {
        writePng(fileOf(number), imageGrid(pictures, 1, 1, 0),
            {{"prompt", m_request.prompts[static_cast<std::size_t>(number)]}, {"negative prompt", m_request.negative},
                {"seed", std::to_string(m_request.seed)}, {"guidance", contract::shortestText(m_guidance.scale)},
                {"steps", std::to_string(m_steps)}, {"model", m_request.model}});
    }

    std::string fileOf(std::int64_t number) const
    {
        char name[32];
        std::snprintf(name, sizeof name, "image-%04lld.png", static_cast<long long>(number + 1));
        return (std::filesystem::path(m_request.folder) / name).string();
    }

    void say(const std::string& line) const
    {
        if (m_identity.rank == 0)
            m_tell(line);
    }

    const contract::ImageRequest& m_request;
    const RankIdentity& m_identity;
    const LineSink& m_tell;
    contract::Experiment m_experiment;
    Compute m_compute;
    std::unique_ptr<Mesh> m_mesh;
    contract::ModelFolder m_folder;
    ImagePipeline m_pipeline;
    std::vector<std::int64_t> m_shape;
    GuidanceOptions m_guidance;
    std::int64_t m_steps;
};

}  // namespace

void generateImages(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& tell)
{
    Generation(request, identity, tell).run();
}

}  // namespace engine
