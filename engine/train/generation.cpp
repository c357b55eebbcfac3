#include "engine/train/generation.h"

#include "engine/comm/errors.h"
#include "engine/contract/text.h"
#include "engine/data/clip_file.h"
#include "engine/data/png.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/train/folder_transformer.h"
#include "engine/train/run_setup.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace engine {
namespace {

/// The options of a run that matter to one that only draws.
contract::Experiment experimentFor(const contract::ImageRequest& request)
{
    contract::Experiment experiment;
    experiment.set("run.device", request.device);
    experiment.set("engine.compute_dtype", request.dtype);
    experiment.set("engine.attention", request.attention);
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
        , m_frames(request.frames > 0 ? request.frames : m_pipeline.traits().frames)
        , m_width(request.width > 0 ? request.width : m_pipeline.traits().width)
        , m_height(request.height > 0 ? request.height : m_pipeline.traits().height)
        , m_shape(m_pipeline.latentShape(m_height, m_width, m_frames))
        , m_guidance {m_pipeline.traits().guidance, request.guidance < 0 ? m_pipeline.traits().scale : request.guidance}
        , m_steps(request.steps > 0 ? request.steps : m_pipeline.traits().steps)
    {
        if (const std::string notice = attentionNotice(m_experiment, m_compute.device); !notice.empty())
            say("warning " + notice);
        if (!m_folder.has("transformer_2") && !request.secondAdapter.empty())
            throw EngineError(EngineError::Kind::WrongUsage, request.model + " has no transformer_2 for an adapter: use --lora in place of --lora-2");
    }

    void run()
    {
        say("progress loads the transformer");
        load("transformer", m_request.adapter, m_transformer);
        if (m_folder.has("transformer_2"))
            load("transformer_2", m_request.secondAdapter, m_second);
        const std::int64_t count = static_cast<std::int64_t>(m_request.prompts.size()), ranks = m_mesh->data().size();
        // Ranks without a picture of their own draw the last one again: every pass is a collective.
        for (std::int64_t first = 0; first < count; first += ranks) {
            const std::int64_t number = first + m_mesh->data().rank();
            const at::Tensor pictures = draw(std::min(number, count - 1));
            if (number < count)
                write(pictures, number);
        }
        m_mesh->world().barrier("at the end");
        for (std::int64_t number = 0; number < count; ++number) {
            for (std::int64_t frame = 0; frame < m_frames; ++frame)
                say("file " + fileOf(number, frame));
            if (const auto clip = clipOf(number); std::filesystem::exists(clip))
                say("file " + clip.string());
        }
    }

private:
    void load(const char* component, const std::string& adapter, std::optional<FolderTransformer>& into)
    {
        into.emplace(m_experiment, m_folder, component, AdapterInUse {adapter, m_request.adapterWeight}, *m_mesh, m_compute.device);
    }

    at::Tensor draw(std::int64_t number)
    {
        Conditions prompts {featuresOf(m_request.prompts[static_cast<std::size_t>(number)]).asInput(), {}};
        if (m_guidance.kind != Guidance::Distilled && m_guidance.scale > 1)
            prompts.negative = featuresOf(m_request.negative).asInput();
        const at::Tensor noise = normalRows({static_cast<std::uint64_t>(number)}, m_shape,
            static_cast<std::uint64_t>(m_request.seed), "generated", 0);
        const Denoiser denoiser = [&](const ModelInput& input, double timestep) {
            return (m_second && timestep < m_pipeline.secondTimestep() ? m_second : m_transformer)->velocity(input);
        };
        const at::Tensor latents = sampleGuided(denoiser, noise.to(m_compute.device), prompts,
            m_pipeline.levels(m_steps, m_height, m_width, m_frames), m_guidance, [&](std::int64_t step, const at::Tensor&) {
                say(std::string("progress ") + (isVideo() ? "clip " : "picture ") + std::to_string(number + 1) + " of "
                    + std::to_string(m_request.prompts.size()) + ", step " + std::to_string(step + 1) + " of " + std::to_string(m_steps));
            });
        return m_pipeline.decode(latents);
    }

    PromptFeatures featuresOf(const std::string& prompt) const { return m_pipeline.features(std::span(&prompt, 1)); }

    /// @param drawn [1, 3, (F,) H, W]
    void write(const at::Tensor& drawn, std::int64_t number) const
    {
        const at::Tensor frames = isVideo() ? drawn[0].transpose(0, 1) : drawn;
        const auto pixels = [&](std::int64_t frame) { return imageGrid(frames.narrow(0, frame, 1), 1, 1, 0); };
        for (std::int64_t frame = 0; frame < m_frames; ++frame) {
            const std::filesystem::path file = fileOf(number, frame);
            std::filesystem::create_directories(file.parent_path());
            writePng(file, pixels(frame),
                {{"prompt", m_request.prompts[static_cast<std::size_t>(number)]}, {"negative prompt", m_request.negative},
                    {"seed", std::to_string(m_request.seed)}, {"guidance", contract::shortestText(m_guidance.scale)},
                    {"steps", std::to_string(m_steps)}, {"model", m_request.model}});
        }
        std::error_code ignored;
        std::filesystem::remove(clipOf(number), ignored);
        if (!isVideo())
            return;
        try {
            clipFiles().write(clipOf(number), m_pipeline.traits().frameRate, m_frames, [&](std::int64_t frame) {
                Pixels values = pixels(frame);
                return Picture {values.width, values.height, std::move(values.values)};
            });
        } catch (const std::runtime_error& error) {
            say("warning frames only: " + std::string(error.what()));
        }
    }

    bool isVideo() const { return m_pipeline.traits().isVideo(); }

    std::string fileOf(std::int64_t number, std::int64_t frame) const
    {
        const std::filesystem::path folder(m_request.folder);
        return (isVideo() ? folder / numbered("clip", number) / (numbered("frame", frame) + ".png") : folder / (numbered("image", number) + ".png"))
            .string();
    }

    /// All frames in one file.
    std::filesystem::path clipOf(std::int64_t number) const { return std::filesystem::path(m_request.folder) / (numbered("clip", number) + ".mp4"); }

    static std::string numbered(const char* what, std::int64_t number)
    {
        char name[64];
        std::snprintf(name, sizeof name, "%s-%04lld", what, static_cast<long long>(number + 1));
        return name;
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
    DiffusionPipeline m_pipeline;
    std::int64_t m_frames, m_width, m_height;
    std::vector<std::int64_t> m_shape;
    GuidanceOptions m_guidance;
    std::int64_t m_steps;
    std::optional<FolderTransformer> m_transformer, m_second;
};

}  // namespace

void generateImages(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& tell)
{
    Generation(request, identity, tell).run();
}

}  // namespace engine
