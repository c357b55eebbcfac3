#include "engine/worker/generation.h"

#include "engine/comm/accelerator.h"
#include "engine/comm/errors.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/data/video_file.h"
#include "engine/data/png.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/pipeline/diffusion_pipeline.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/folder_transformer.h"
#include "engine/worker/run_setup.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace engine {
namespace {

/// Returns a run's experiment with the options that matter for inference.
contract::Experiment experimentFor(const contract::ImageRequest& request)
{
    contract::Experiment experiment;
    experiment.set("run.device", request.device);
    experiment.set("engine.compute_dtype", request.dtype);
    experiment.set("engine.attention", request.attention);
    experiment.set("ema.decay", 0.0);
    return experiment;
}

/// @throws EngineError, std::runtime_error naming the folder that is not what its option takes.
contract::ModelFolder openFolder(const contract::ImageRequest& request)
{
    contract::ModelFolder folder(request.model);
    if (!folder.isPipeline())
        throw EngineError(EngineError::Kind::WrongUsage,
            request.model + " holds a " + folder.className() + " alone; give --model the folder of a whole pipeline"
                + (folder.has("transformer") ? ", and this one by --transformer" : ""));
    if (!request.transformer.empty())
        folder.replaceComponent("transformer", request.transformer);
    if (!request.secondTransformer.empty())
        folder.replaceComponent("transformer_2", request.secondTransformer);
    return folder;
}

DeviceWords deviceWords(const RankIdentity& identity)
{
    return {"--device cuda", identity.worldSize > 1 ? "use --device cpu or fewer --ranks" : "use --device cpu"};
}

class Generation {
public:
    Generation(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& writeLine)
        : m_request(request)
        , m_identity(identity)
        , m_writeLine(writeLine)
        , m_experiment(experimentFor(request))
        , m_rendezvous(openRendezvous(m_experiment, identity))
        , m_compute(chooseCompute(m_experiment, identity, m_rendezvous, deviceWords(identity)))
        , m_mesh(joinMesh(m_experiment, identity, m_rendezvous, m_compute.accelerator))
        , m_folder(openFolder(request))
        , m_pipeline(m_folder, {dtypeOf(request.dtype), m_compute.device})
        , m_frames(request.frames > 0 ? request.frames : m_pipeline.traits().frames)
        , m_width(request.width > 0 ? request.width : m_pipeline.traits().width)
        , m_height(request.height > 0 ? request.height : m_pipeline.traits().height)
        , m_shape(m_pipeline.latentShape(m_height, m_width, m_frames))
        , m_guidance {m_pipeline.traits().guidance, request.guidance < 0 ? m_pipeline.traits().scale : request.guidance}
        , m_steps(request.steps > 0 ? request.steps : m_pipeline.traits().steps)
    {
        if (const std::string notice = attentionNotice(m_experiment, m_compute.device); !notice.empty())
            emit("warning " + notice);
        if (const std::int64_t most = m_pipeline.maxSide(); most > 0 && std::max(m_width, m_height) > most)
            throw EngineError(EngineError::Kind::WrongUsage,
                "images of " + std::to_string(m_width) + " × " + std::to_string(m_height) + " pixels are too large for this model; give a --size of at most "
                    + std::to_string(most) + "x" + std::to_string(most));
        if (!m_compute.notice.empty())
            emit("warning " + m_compute.notice);
        if (!m_folder.has("transformer_2") && !request.secondAdapter.empty())
            throw EngineError(EngineError::Kind::WrongUsage, request.model + " has no transformer_2 for --lora-2; use --lora instead");
    }

    void run()
    {
        warnAboutLongPrompts();
        emit("progress loads the transformer");
        load("transformer", m_request.adapter, m_transformer);
        if (m_folder.has("transformer_2"))
            load("transformer_2", m_request.secondAdapter, m_second);
        const std::int64_t count = static_cast<std::int64_t>(m_request.prompts.size()), ranks = m_mesh->data().size();
        at::Tensor broken = at::zeros({count}, at::device(m_compute.device).dtype(at::kFloat));  // how many ranks have drawn an image that is not finite
        // A rank without an image of its own draws the last one again, because every pass is collective.
        for (std::int64_t first = 0; first < count; first += ranks) {
            const std::int64_t number = first + m_mesh->data().rank();
            const at::Tensor images = draw(std::min(number, count - 1));
            if (number >= count)
                continue;
            if (at::isfinite(images).all().item<bool>())
                write(images, number);
            else
                broken.select(0, number).fill_(1);
        }
        m_mesh->world().allReduceSum(broken, "which images are finite");
        broken = broken.cpu();
        for (std::int64_t number = 0; number < count; ++number) {
            if (broken[number].item<float>() > 0)
                continue;
            for (std::int64_t frame = 0; frame < m_frames; ++frame)
                emit("file " + fileOf(number, frame));
            if (const auto video = videoOf(number); contract::hasEntry(video))
                emit("file " + video.string());
        }
        requireFinite(broken);
    }

private:
    /// @throws EngineError when an image was not written because it has values that are not finite.
    void requireFinite(const at::Tensor& broken) const
    {
        const std::string what = isVideo() ? "video " : "image ";
        std::string names;
        for (std::int64_t number = 0; number < broken.numel(); ++number) {
            if (broken[number].item<float>() > 0)
                names += (names.empty() ? "" : ", ") + what + std::to_string(number + 1);
        }
        if (!names.empty())
            throw EngineError(EngineError::Kind::Failure, names + " came out as NaN or infinite and was not written: the weights are damaged, or too large for "
                    + m_request.dtype + (m_request.dtype == "fp32" ? "" : "; try --dtype fp32"));
    }

    void load(const char* component, const std::string& adapter, std::optional<FolderTransformer>& into)
    {
        into.emplace(m_experiment, m_folder, component, AdapterInUse {adapter, m_request.adapterWeight}, *m_mesh, m_compute.device);
    }

    at::Tensor draw(std::int64_t number)
    {
        if (!m_features.contains(number))
            encodeFrom(number);
        Conditions prompts {m_features.at(number).asInput(), {}};
        if (m_guidance.usesNegative())
            prompts.negative = m_negative.asInput();
        const auto noise = [&](std::size_t index) {  // 0: to start from; then one for each step
            return normalRows({static_cast<std::uint64_t>(number)}, m_shape, static_cast<std::uint64_t>(m_request.seed), "generated", index);
        };
        const Denoiser denoiser = [&](const ModelInput& input, double timestep) {
            return (m_second && timestep < m_pipeline.boundaryTimestep() ? m_second : m_transformer)->velocity(input);
        };
        const at::Tensor latents = sampleGuided(denoiser, noise(0).to(m_compute.device), prompts,
            m_pipeline.levels(m_steps, m_height, m_width, m_frames), m_guidance, [&](std::int64_t step, const at::Tensor&) {
                emit(std::string("progress ") + (isVideo() ? "video " : "image ") + std::to_string(number + 1) + " of "
                    + std::to_string(m_request.prompts.size()) + ", step " + std::to_string(step + 1) + " of " + std::to_string(m_steps));
            },
            [&](std::size_t step) { return noise(1 + step); });
        return m_pipeline.decode(latents);
    }

    void warnAboutLongPrompts() const
    {
        std::set<std::string> prompts(m_request.prompts.begin(), m_request.prompts.end());
        if (m_guidance.usesNegative())
            prompts.insert(m_request.negative);
        for (const std::string& prompt : prompts) {
            if (const std::string notice = m_pipeline.truncationNotice(prompt); !notice.empty())
                emit("warning " + notice);
        }
    }

    /// Encodes the prompts of this rank's next images, from @p number on, in one pass; the first time the negative prompt as well.
    void encodeFrom(std::int64_t number)
    {
        std::vector<std::int64_t> numbers;
        std::vector<std::string> prompts;
        for (auto next = static_cast<std::size_t>(number); next < m_request.prompts.size() && numbers.size() < PromptEncoder::kBatch;
             next += static_cast<std::size_t>(m_mesh->data().size())) {
            numbers.push_back(static_cast<std::int64_t>(next));
            prompts.push_back(m_request.prompts[next]);
        }
        const bool hasNegative = m_negative.embeds.defined() || !m_guidance.usesNegative();
        if (!hasNegative)
            prompts.push_back(m_request.negative);
        const PromptFeatures all = m_pipeline.features(prompts);
        m_features.clear();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            m_features[numbers[i]] = all.ofPrompt(static_cast<std::int64_t>(i));
        if (!hasNegative)
            m_negative = all.ofPrompt(static_cast<std::int64_t>(numbers.size()));
    }

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
        std::filesystem::remove(videoOf(number), ignored);
        if (!isVideo())
            return;
        try {
            videoFiles().write(videoOf(number), m_pipeline.traits().frameRate, m_frames, [&](std::int64_t frame) {
                Pixels values = pixels(frame);
                return Image {values.width, values.height, std::move(values.values)};
            });
        } catch (const std::runtime_error& error) {
            emit("warning only the frames were written, not the video: " + std::string(error.what()));
        }
    }

    bool isVideo() const { return m_pipeline.traits().isVideo(); }

    std::string fileOf(std::int64_t number, std::int64_t frame) const
    {
        const std::filesystem::path folder(m_request.folder);
        return (isVideo() ? folder / numberOf("clip", number) / (numbered("frame", frame) + ".png") : folder / (numberOf("image", number) + ".png"))
            .string();
    }

    /// Returns the path of the video file that holds all frames.
    std::filesystem::path videoOf(std::int64_t number) const { return std::filesystem::path(m_request.folder) / (numberOf("clip", number) + ".mp4"); }

    std::string numberOf(const char* what, std::int64_t number) const { return numbered(what, m_request.firstNumber - 1 + number); }

    static std::string numbered(const char* what, std::int64_t number)
    {
        char name[64];
        std::snprintf(name, sizeof name, "%s-%04lld", what, static_cast<long long>(number + 1));
        return name;
    }

    void emit(const std::string& line) const
    {
        if (m_identity.rank == 0)
            m_writeLine(line);
    }

    const contract::ImageRequest& m_request;
    const RankIdentity& m_identity;
    const LineSink& m_writeLine;
    contract::Experiment m_experiment;
    Rendezvous m_rendezvous;
    Compute m_compute;
    std::unique_ptr<Mesh> m_mesh;
    contract::ModelFolder m_folder;
    DiffusionPipeline m_pipeline;
    std::int64_t m_frames, m_width, m_height;
    std::vector<std::int64_t> m_shape;
    GuidanceOptions m_guidance;
    std::int64_t m_steps;
    std::optional<FolderTransformer> m_transformer, m_second;
    std::map<std::int64_t, PromptFeatures> m_features;  ///< of this rank's next images, by their numbers
    PromptFeatures m_negative;
};

}  // namespace

void generateImages(const contract::ImageRequest& request, const RankIdentity& identity, const LineSink& writeLine)
{
    Generation(request, identity, writeLine).run();
}

}  // namespace engine
