#include "engine/tasks/image_task.h"

#include "engine/comm/errors.h"
#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/data_kind.h"
#include "engine/contract/run/run_folder.h"
#include "engine/emoji/emoji_images.h"
#include "engine/lora/adapter_source.h"
#include "engine/models/registry.h"
#include "engine/rewards/make_rewards.h"
#include "engine/tasks/data_list.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/folder_transformer.h"
#include "engine/tasks/folder_weights.h"
#include "engine/tasks/new_model.h"
#include "engine/tasks/sample_writer.h"

#include <algorithm>

namespace engine {
namespace {

std::optional<contract::AdapterFile> adapterFile(const contract::Experiment& experiment, const Model& model)
{
    const std::string& file = experiment.text("lora.init_from");
    if (file.empty())
        return std::nullopt;
    return contract::readAdapter(file, linearModules(model.units()));
}

/// Runs @p work on rank 0 while the others wait, for files that all ranks need. Collective.
template <typename Work>
void onFirstRank(const TaskContext& context, const char* what, const Work& work)
{
    decidedByFirst(context.mesh.world(), context.device, what, [&](const std::function<void()>&) {
        work();
        return std::string();
    });
}

std::filesystem::path describedModel(const contract::Experiment& experiment, const TaskContext& context)
{
    const auto folder = contract::RunFolder(context.run).model();
    onFirstRank(context, "describing the model", [&] { describeNewModel(experiment, folder); });
    return folder;
}

/// Returns the folder of the training images; empty when the run draws samples for a prompt file instead.
std::filesystem::path imageFolder(const contract::Experiment& experiment, const TaskContext& context)
{
    if (contract::usesPromptFile(experiment))
        return {};
    if (experiment.text("data.source") == "folder")
        return experiment.text("data.folder");
    const auto folder = contract::emojiFolder(context.cache);
    onFirstRank(context, "writing the emoji", [&] {
        context.reportProgress("writes the emoji to " + folder.string());
        makeEmojiImages({}, folder);
    });
    return folder;
}

/// Returns text encoders sharded over all ranks. Returns nullptr on the CPU, where each rank computes directly from the
/// memory-mapped files, and with a single rank.
std::unique_ptr<PromptEncoder> shardedEncoder(
    const contract::ModelFolder& folder, const contract::Experiment& experiment, const TaskContext& context)
{
    if (context.device.is_cpu() || context.mesh.world().size() == 1)
        return nullptr;
    return openPromptEncoder(folder,
        {.dtype = dtypeOf(experiment.text("engine.compute_dtype")), .device = context.device, .shardGroup = &context.mesh.world()});
}

/// Whether pairs are trained on.
bool hasStoredPairs(const contract::Experiment& experiment) { return contract::policySettings(experiment).forward.hasStoredPairs; }

constexpr char kSecond[] = "transformer_2";

/// Returns the folder name of the transformer that is trained.
std::string trainedComponent(const contract::Experiment& experiment, const contract::ModelFolder& folder)
{
    const std::string& name = experiment.text("model.component");
    if (name == kSecond && !folder.has(name))
        throw EngineError(EngineError::Kind::WrongUsage, "model.component = " + name + ": the model has one transformer; set it to transformer");
    return name;
}

}  // namespace

ImageTask::ImageTask(const contract::Experiment& experiment, const TaskContext& context)
    : m_experiment(experiment)
    , m_context(context)
    , m_isNew(experiment.text("model.name") == "sd3")
    , m_folder(m_isNew ? describedModel(experiment, context) : std::filesystem::path(experiment.text("model.folder")))
    , m_pipeline(m_folder, {dtypeOf(experiment.text("engine.compute_dtype")), context.device})
    , m_component(trainedComponent(experiment, m_folder))
    , m_sigmas(sigmaRule(experiment, m_pipeline.boundarySigma()))
    , m_rewards(contract::isPolicyAlgorithm(experiment.text("algorithm.name"))
              ? makeRewards(rewardOptions(experiment, context.device, context.mesh.data()))
              : nullptr)
    , m_images(imageOptions(), m_pipeline, context.mesh.world(), context.reportProgress)
    , m_model(buildTransformer(m_folder.config(m_component),
          {{experiment.integer("engine.wrap.min_params"), experiment.text("engine.wrap.keep_in_root")},
              sequenceGroups(experiment, context.mesh)}))
    , m_adapterFile(adapterFile(experiment, *m_model))
    , m_adapterLayers(m_adapterFile ? adapterLayers(*m_adapterFile) : newAdapterLayers(experiment, *m_model))
    , m_prompts(splitPrompts(experiment.text("sample.prompts")))
{
    warnAboutBrokenImages();
    if (m_rewards)
        openRollouts();
    else
        listData({});
    if (experiment.text("sample.prompts").empty())
        m_prompts = defaultPrompts();
    warnAboutLongPrompts();
    warnAboutLongCaptions();
    const auto encoder = shardedEncoder(m_folder, experiment, context);
    m_images.prompts().prepare(texts(), context.mesh.world(), context.reportProgress, encoder.get());
    m_pipeline.release();  // it is loaded again when samples are drawn
    if (m_rollouts)
        return;
    const std::int64_t passes = accumulationOf(experiment, context.mesh.data().size()), micro = experiment.integer("batch.micro");
    m_batches = std::make_unique<ImageBatches>(m_images,
        ImageBatchOptions {micro, micro * passes * context.mesh.data().size(), captionRules(experiment), m_sigmas,
            experiment.real("flow.guidance"), seed()});
    m_steps.emplace(*m_model, *m_batches, passes, context.mesh.data(), context.device, seed());
}

void ImageTask::openRollouts()
{
    ImagePairs pairs;
    if (hasStoredPairs(m_experiment))
        pairs = imagePairs(m_images.training(), m_experiment.text("data.folder"));
    listData(pairs);
    m_rollouts.emplace(pairs.pairs.empty() ? rolloutPrompts(m_experiment.text("rollout.prompt_file"), m_images) : std::vector<Prompt>(),
        std::move(m_rewards), m_images.prompts(), m_pipeline, m_context.mesh,
        ImageRollouts::Options {m_experiment.text("sample.negative"), m_experiment.integer("data.resolution"), m_experiment.real("rollout.guidance"),
            m_experiment.integer("rollout.samples_per_prompt"), frames(), m_experiment.text("gold.reward"), m_context.keepSample});
    if (!pairs.unmatched.empty())
        m_context.warn("left out for want of a partner of the same name: " + pairs.unmatched.front()
            + (pairs.unmatched.size() > 1 ? " and " + std::to_string(pairs.unmatched.size() - 1) + " more" : ""));
    if (!pairs.pairs.empty())
        m_rollouts->setPairs(std::move(pairs.pairs), m_images);
}

std::vector<std::string> ImageTask::defaultPrompts() const
{
    constexpr std::size_t kMost = 4;
    const auto& images = m_images.validation().empty() ? m_images.training() : m_images.validation();
    std::vector<std::string> prompts;
    for (std::size_t i = 0; i < std::min(kMost, images.size()); ++i)
        prompts.push_back(images[i].caption);
    for (std::size_t i = 0; images.empty() && i < std::min(kMost, m_rollouts->promptList().size()); ++i)
        prompts.push_back(m_rollouts->promptList()[i].text);
    return prompts;
}

void ImageTask::warnAboutBrokenImages() const
{
    constexpr std::size_t kMaxNamed = 10;
    const auto& broken = m_images.broken();
    for (std::size_t i = 0; i < std::min(kMaxNamed, broken.size()); ++i)
        m_context.warn("left out: " + broken[i].reason);
    if (broken.size() > kMaxNamed)
        m_context.warn("left out: " + std::to_string(broken.size() - kMaxNamed) + " more images");
}

void ImageTask::listData(const ImagePairs& pairs) const
{
    if (m_context.mesh.world().rank() != 0 || (m_images.training().empty() && m_images.broken().empty()))
        return;
    try {
        warnAboutData(listImages(m_images, pairs, m_context.run));
    } catch (const std::exception& error) {
        m_context.warn("the list of the data was not written: " + contract::sentenceOf(error));
    }
}

/// Of what trains otherwise than its owner may think.
void ImageTask::warnAboutData(const contract::DataManifest& data) const
{
    using contract::DataKind;
    const auto warn = [&](DataKind kind, const char* what) {
        const auto count = std::ranges::count_if(data.entries, [kind](const contract::DataEntry& entry) { return contract::isOfKind(entry, kind); });
        if (count > 0)
            m_context.warn(std::to_string(count) + " of " + std::to_string(data.entries.size()) + " " + what + ": `atelier data list "
                + m_context.run.filename().string() + " --kind " + contract::nameOf(kind) + "` names them");
    };
    warn(DataKind::WithoutCaption, "have no caption");
    warn(DataKind::Enlarged, "are smaller than in training, and are enlarged");
}

void ImageTask::warnAboutLongPrompts() const
{
    std::set<std::string> prompts(m_prompts.begin(), m_prompts.end());
    prompts.insert(m_experiment.text("sample.negative"));
    for (const std::string& prompt : prompts) {
        if (const std::string notice = m_pipeline.truncationNotice(prompt); !notice.empty())
            m_context.warn("samples: " + notice);
    }
}

void ImageTask::warnAboutLongCaptions() const
{
    const char* const kind = m_rollouts ? "prompts" : "captions";
    std::set<std::string> unique;
    for (std::size_t i = 0; m_rollouts && i < m_rollouts->promptList().size(); ++i)
        unique.insert(m_rollouts->promptList()[i].text);
    for (const auto* part : {&m_images.training(), &m_images.validation()}) {
        for (const PreparedImage& image : *part) {
            if (!image.hasPrompt)
                unique.insert(image.caption);
        }
    }
    const std::vector<std::string> captions(unique.begin(), unique.end());
    constexpr std::size_t kTakesLong = 10'000;
    if (captions.size() >= kTakesLong)
        m_context.reportProgress(std::string("looks for ") + kind + " that are too long");
    const auto cut = divideAmong(m_context.mesh.world(), m_context.device, captions.size(), kind, [](const std::string&) {},
        [&](std::size_t i) { return m_pipeline.truncationNotice(captions[i]).empty(); });
    if (!cut.empty())
        m_context.warn(std::to_string(cut.size()) + " of " + std::to_string(captions.size())
            + " " + kind + " are too long for a text encoder; for example, " + m_pipeline.truncationNotice(captions[cut.front()]));
}

ImageOptions ImageTask::imageOptions() const
{
    const std::filesystem::path folder = imageFolder(m_experiment, m_context);
    const std::string encoders = decidedByFirst(m_context.mesh.world(), m_context.device, "looking for encoders",
        [&](const std::function<void()>&) { return encodersOf(m_folder); });
    return engine::imageOptions(m_experiment, m_pipeline, folder, m_context.cache, encoders);
}

std::set<std::string> ImageTask::texts() const
{
    std::set<std::string> texts(m_prompts.begin(), m_prompts.end());
    texts.insert({"", m_experiment.text("sample.negative")});
    for (const auto* part : {&m_images.training(), &m_images.validation()}) {
        for (const PreparedImage& image : *part) {
            if (!m_experiment.boolean("data.shuffle_captions") && !image.hasPrompt)
                texts.insert(image.caption);
        }
    }
    for (std::size_t i = 0; m_rollouts && i < m_rollouts->promptList().size(); ++i)
        texts.insert(m_rollouts->promptList()[i].text);
    return texts;
}

std::vector<UnitSpec> ImageTask::units() const
{
    auto specs = m_model->units();
    if (m_isNew)
        return specs;
    for (UnitSpec& unit : specs) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.initStd = 0;  // the folder's weights replace them; drawing random values would take longer than reading these
    }
    if (!m_adapterLayers.empty())
        declareAdapters(specs, m_adapterLayers, {kDefaultAdapter},
            m_adapterFile ? AdapterInit::Gaussian : adapterInitOf(m_experiment.text("lora.init")));
    return specs;
}

at::ScalarType ImageTask::trainedDtype() const
{
    return m_adapterLayers.empty() ? at::kFloat : dtypeOf(m_experiment.text("lora.dtype"));
}

void ImageTask::begin(UnitSequence& units)
{
    m_units = &units;
    if (!m_adapterLayers.empty())
        m_adapters.emplace(units, m_adapterLayers, std::vector<std::string> {kDefaultAdapter}, m_experiment.real("lora.dropout"));
    if (!m_rollouts)
        return;
    const contract::PolicySettings settings = contract::policySettings(m_experiment);
    if (settings.distill != contract::DistillMode::None)
        loadTeacher(settings.teacher);
    if (const double boundary = m_pipeline.boundaryTimestep(); boundary > 0) {
        loadOther();
        m_rollouts->setOther(*m_other, m_component == kSecond ? TimestepRange {.end = boundary} : TimestepRange {.lowest = boundary});
    }
    m_rounds.emplace(settings, *m_model, units, *m_rollouts, m_context.mesh.data(), m_context.device,
        m_experiment.integer("batch.micro"), seed(), RoundCallbacks {m_context.reportProgress, m_context.warn, m_context.isStopAgreed},
        contract::roundOptions(m_experiment));
}

void ImageTask::loadTeacher(const std::string& path)
{
    const contract::ModelFolder folder(path);
    if (flowMatchConfig(folder.config("scheduler")) != m_pipeline.schedule())
        throw EngineError(EngineError::Kind::WrongUsage,
            "distill.teacher = " + contract::inQuotes(path) + ": its noise levels are others than the model's; choose a teacher whose "
                "scheduler_config.json is the same");
    m_context.reportProgress("loads the teacher");
    const std::string component = folder.has(m_component) ? m_component : "transformer";
    m_teacher.emplace(m_experiment, folder, component, AdapterInUse {}, m_context.mesh, m_context.device);
    m_rollouts->setTeacher(*m_teacher);
}

void ImageTask::loadOther()
{
    m_other.emplace(m_experiment, m_folder, m_component == kSecond ? "transformer" : kSecond, AdapterInUse {}, m_context.mesh, m_context.device);
}

ForwardSteps& ImageTask::steps()
{
    if (m_rounds)
        return *m_rounds;
    return *m_steps;
}

std::optional<NamedNumbers> ImageTask::startRound(std::int64_t step)
{
    if (!m_rounds)
        return NamedNumbers();
    std::optional<NamedNumbers> numbers = m_rounds->startRound(step);
    m_pipeline.release();
    return numbers;
}

void ImageTask::loadWeights()
{
    if (m_isNew)
        return;
    loadFolderWeights(*m_model, *m_units, m_context.mesh, m_folder.component(m_component));
    if (m_adapterFile)
        loadAdapter(*m_units, m_context.mesh, *m_adapterFile, kDefaultAdapter);
}

std::map<std::string, std::string> ImageTask::stateOptions() const
{
    auto options = m_model->shapeOptions();
    if (m_folder.has(kSecond))
        options["model.component"] = m_component;
    if (m_adapterLayers.empty())
        return options;
    std::vector<contract::AdapterFile::Layer> layers;
    for (const AdapterLayer& layer : m_adapterLayers)
        layers.push_back({layer.module, layer.rank, layer.scale});
    options["lora.dtype"] = m_experiment.text("lora.dtype");
    options.merge(contract::adapterOptions(layers, !m_adapterFile && m_experiment.boolean("lora.rslora")));
    return options;
}

EvaluationContext ImageTask::evaluation(Weights weights) const
{
    return {*m_model, *m_units, weights, m_context.mesh.data(), m_experiment.integer("batch.micro"), m_experiment.real("flow.guidance"), seed(), m_context.device};
}

std::optional<double> ImageTask::validationLoss(Weights weights) { return heldOutLoss(evaluation(weights), m_images, m_sigmas); }

std::vector<DrawnSample> ImageTask::samples(Weights weights)
{
    if (m_pipeline.boundarySigma() > 0 && !m_other)
        loadOther();
    const Denoiser denoiser = [&](const ModelInput& input, double timestep) {
        const bool needsSecond = timestep < m_pipeline.boundaryTimestep();
        return m_other && needsSecond != (m_component == kSecond) ? m_other->velocity(input) : predict(*m_model, *m_units, input);
    };
    const at::Tensor drawn = drawPrompts(evaluation(weights), denoiser, m_images, m_pipeline,
        {m_prompts, m_experiment.text("sample.negative"), m_experiment.integer("data.resolution"), frames(), samplerOptions(m_experiment)},
        [&] {
            if (!m_rollouts)
                m_other.reset();
            if (m_context.idleWeights)
                m_context.idleWeights();
        });
    m_pipeline.release();
    const auto prompts = static_cast<std::int64_t>(m_prompts.size());
    const std::int64_t each = drawn.size(0) / prompts;  // frames
    std::vector<DrawnSample> samples;
    for (std::int64_t i = 0; i < prompts; ++i)
        samples.push_back({m_prompts[static_cast<std::size_t>(i)], drawn.narrow(0, i * each, each), m_pipeline.traits().isVideo()});
    return samples;
}

}  // namespace engine
