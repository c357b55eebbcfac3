#include "engine/train/picture_task.h"

#include "engine/comm/errors.h"
#include "engine/contract/adapter_config.h"
#include "engine/contract/adapter_export.h"
#include "engine/contract/name_pattern.h"
#include "engine/contract/run_folder.h"
#include "engine/contract/text.h"
#include "engine/emoji/emoji_pictures.h"
#include "engine/model/adapter_source.h"
#include "engine/model/registry.h"
#include "engine/train/folder_transformer.h"
#include "engine/train/folder_weights.h"
#include "engine/train/new_model.h"
#include "engine/train/run_setup.h"
#include "engine/train/sample_writer.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

/// "all-linear" or a regular expression; or names with commas between.
contract::AdapterTargets targetsOf(const std::string& text)
{
    if (text.empty())
        return {};
    if (text.find_first_of("*\\[(|^$") != std::string::npos)
        return contract::AdapterTargets::ofText(text);
    if (auto word = contract::AdapterTargets::ofText(text); word.isAllLinear())
        return word;
    std::vector<std::string> names;
    for (const std::string_view name : contract::namePatterns(text))
        names.emplace_back(name);
    return contract::AdapterTargets::ofList(std::move(names));
}

std::optional<contract::AdapterFile> adapterFile(const contract::Experiment& experiment, const Model& model)
{
    const std::string& file = experiment.text("lora.init_from");
    if (file.empty())
        return std::nullopt;
    return contract::readAdapter(file, linearModules(model.units()));
}

std::vector<AdapterLayer> newAdapterLayers(const contract::Experiment& experiment, const Model& model)
{
    contract::AdapterConfig config;
    config.rank = experiment.integer("lora.rank");
    config.alpha = experiment.real("lora.alpha");
    config.usesRslora = experiment.boolean("lora.rslora");
    if (config.rank == 0)
        return {};
    std::vector<AdapterLayer> layers;
    for (const std::string& module : contract::matchedModules(
             linearModules(model.units()), targetsOf(experiment.text("lora.targets")), targetsOf(experiment.text("lora.exclude"))))
        layers.push_back({module, config.rank, config.scale(module)});
    return layers;
}

/// What tells one set of encoders from another, on this machine: where their files lie, how long and how old they are.
std::string encodersOf(const contract::ModelFolder& folder)
{
    std::string text;
    for (const auto& [name, component] : folder.components()) {
        if (name.starts_with("transformer") || name == "scheduler")
            continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder.component(name))) {
            const auto file = std::filesystem::canonical(entry.path());
            text += file.string() + " " + std::to_string(std::filesystem::file_size(file)) + " "
                + std::to_string(std::filesystem::last_write_time(file).time_since_epoch().count()) + "\n";
        }
    }
    return FeatureCache::keyOf(text);
}

/// What the first rank does for all, who need the same files.
template <typename Work>
void firstOf(Mesh& mesh, const Work& work)
{
    if (mesh.world().rank() == 0)
        work();
    mesh.world().barrier("after the first rank's files");
}

std::filesystem::path describedModel(const contract::Experiment& experiment, const TaskPlace& place)
{
    const auto folder = contract::RunFolder(place.run).model();
    firstOf(place.mesh, [&] { describeNewModel(experiment, folder); });
    return folder;
}

std::filesystem::path pictureFolder(const contract::Experiment& experiment, const TaskPlace& place)
{
    if (experiment.text("data.source") == "folder")
        return experiment.text("data.folder");
    const auto folder = contract::emojiFolder(place.cache);
    firstOf(place.mesh, [&] {
        place.tell("writes the emoji to " + folder.string());
        makeEmojiPictures({}, folder);
    });
    return folder;
}

/// Prompts with | between; white space around them does not count.
std::vector<std::string> promptsIn(const std::string& text)
{
    std::vector<std::string> prompts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('|', begin), text.size());
        const std::size_t first = text.find_first_not_of(" \t\n", begin), last = text.find_last_not_of(" \t\n", end == 0 ? 0 : end - 1);
        if (first < end && last != std::string::npos && last >= first)
            prompts.push_back(text.substr(first, last - first + 1));
        begin = end + 1;
    }
    return prompts;
}

/// Encoders of all ranks together, for as long as texts are encoded. None where a rank can compute straight from the mapped
/// files, and on a rank alone.
std::unique_ptr<PromptEncoder> shardedEncoder(
    const contract::ModelFolder& folder, const contract::Experiment& experiment, const TaskPlace& place)
{
    if (place.device.is_cpu() || place.mesh.world().size() == 1)
        return nullptr;
    return openPromptEncoder(folder,
        {.dtype = dtypeOf(experiment.text("engine.compute_dtype")), .device = place.device, .shards = &place.mesh.world()});
}

CaptionRules captionRules(const contract::Experiment& experiment)
{
    return {.dropout = experiment.real("data.caption_dropout"), .isShuffled = experiment.boolean("data.shuffle_captions"),
        .separator = ",", .keptParts = experiment.integer("data.keep_parts")};
}

constexpr char kSecond[] = "transformer_2";

/// The folder's component that trains.
std::string trainedComponent(const contract::Experiment& experiment, const contract::ModelFolder& folder)
{
    const std::string& name = experiment.text("model.component");
    if (name == kSecond && !folder.has(name))
        throw EngineError(EngineError::Kind::WrongUsage, "model.component = " + name + ": the model has one transformer; set it to transformer");
    return name;
}

/// All noise levels, or those on the trained component's side of the boundary between two. @param boundary as a noise level, 0: there is none
SigmaRule sigmaRule(const contract::Experiment& experiment, const std::string& component, double boundary)
{
    SigmaRule rule {.kind = experiment.text("flow.sigmas") == "logit_normal" ? SigmaRule::Kind::LogitNormal : SigmaRule::Kind::Uniform,
        .shift = experiment.real("flow.shift")};
    (component == kSecond ? rule.highest : rule.lowest) = std::clamp(boundary, 0.0, 1.0);
    if (rule.lowest >= rule.highest)
        throw EngineError(EngineError::Kind::WrongUsage, "model.component = " + component + ": boundary_ratio = " + contract::shortestText(boundary)
                + " in the model's model_index.json leaves it no noise levels");
    return rule;
}

}  // namespace

PictureTask::PictureTask(const contract::Experiment& experiment, const TaskPlace& place)
    : m_experiment(experiment)
    , m_place(place)
    , m_isNew(experiment.text("model.name") == "sd3")
    , m_folder(m_isNew ? describedModel(experiment, place) : std::filesystem::path(experiment.text("model.folder")))
    , m_pipeline(m_folder, {dtypeOf(experiment.text("engine.compute_dtype")), place.device})
    , m_component(trainedComponent(experiment, m_folder))
    , m_sigmas(sigmaRule(experiment, m_component, m_pipeline.secondSigma()))
    , m_pictures(pictureOptions(), m_pipeline, place.mesh.world(), place.tell)
    , m_model(buildTransformer(m_folder.config(m_component),
          {{experiment.integer("engine.wrap.min_params"), experiment.text("engine.wrap.keep_in_root")},
              sequenceGroups(experiment, place.mesh)}))
    , m_adapterFile(adapterFile(experiment, *m_model))
    , m_adapterLayers(m_adapterFile ? adapterLayers(*m_adapterFile) : newAdapterLayers(experiment, *m_model))
    , m_prompts(promptsIn(experiment.text("sample.prompts")))
{
    warnOfBroken();
    constexpr std::size_t kShown = 4;
    const auto& shown = m_pictures.validation().empty() ? m_pictures.training() : m_pictures.validation();
    for (std::size_t i = 0; experiment.text("sample.prompts").empty() && i < std::min(kShown, shown.size()); ++i)
        m_prompts.push_back(shown[i].caption);
    const auto encoder = shardedEncoder(m_folder, experiment, place);
    m_pictures.prompts().prepare(texts(), place.mesh.world(), place.tell, encoder.get());
    m_pipeline.release();  // until samples are drawn
    const std::int64_t passes = accumulationOf(experiment, place.mesh.data().size()), micro = experiment.integer("batch.micro");
    m_batches = std::make_unique<PictureBatches>(m_pictures,
        PictureBatchOptions {micro, micro * passes * place.mesh.data().size(), captionRules(experiment), m_sigmas,
            experiment.real("flow.guidance"), seed()});
    m_steps.emplace(*m_model, *m_batches, passes, place.mesh.data(), place.device, seed());
}

void PictureTask::warnOfBroken() const
{
    constexpr std::size_t kNamed = 10;
    const auto& broken = m_pictures.broken();
    for (std::size_t i = 0; i < std::min(kNamed, broken.size()); ++i)
        m_place.warn("left out: " + broken[i].reason);
    if (broken.size() > kNamed)
        m_place.warn("left out: " + std::to_string(broken.size() - kNamed) + " more pictures");
}

PictureOptions PictureTask::pictureOptions() const
{
    const std::string& cache = m_experiment.text("data.cache");
    return {.folder = pictureFolder(m_experiment, m_place),
        .hasRepeats = m_experiment.boolean("data.folder_repeats"),
        .priorFolder = m_experiment.text("data.prior_folder"),
        .priorWeight = m_experiment.real("data.prior_weight"),
        .hasAlphaMasks = m_experiment.boolean("data.alpha_masks"),
        .unmaskedWeight = m_experiment.real("data.unmasked_weight"),
        .resolution = static_cast<int>(m_experiment.integer("data.resolution")),
        .maxRatio = m_experiment.real("data.max_ratio"),
        .validationFraction = m_experiment.real("data.validation_fraction"),
        .seed = seed(),
        .cache = cache.empty() ? m_place.cache / "features" : std::filesystem::path(cache),
        .encoders = encodersOf(m_folder) + m_experiment.text("engine.compute_dtype"),
        .dtype = m_experiment.text("engine.compute_dtype") == "bf16" ? at::kBFloat16 : at::kFloat,
        .clips = {m_experiment.real("data.frame_rate"), frames(), m_pipeline.temporalFactor()}};
}

std::set<std::string> PictureTask::texts() const
{
    std::set<std::string> texts(m_prompts.begin(), m_prompts.end());
    texts.insert({"", m_experiment.text("sample.negative")});
    for (const auto* part : {&m_pictures.training(), &m_pictures.validation()}) {
        for (const PreparedPicture& picture : *part) {
            if (!m_experiment.boolean("data.shuffle_captions") && !picture.hasPrompt)
                texts.insert(picture.caption);
        }
    }
    return texts;
}

std::vector<UnitSpec> PictureTask::units() const
{
    auto specs = m_model->units();
    if (m_isNew)
        return specs;
    for (UnitSpec& unit : specs) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.initStd = 0;  // the folder's values come instead: drawing others takes longer than reading these
    }
    if (!m_adapterLayers.empty())
        declareAdapters(specs, m_adapterLayers, {kDefaultAdapter},
            m_adapterFile ? AdapterInit::Gaussian : adapterInitOf(m_experiment.text("lora.init")));
    return specs;
}

at::ScalarType PictureTask::trainedDtype() const
{
    return m_adapterLayers.empty() ? at::kFloat : dtypeOf(m_experiment.text("lora.dtype"));
}

void PictureTask::begin(UnitSequence& units)
{
    m_units = &units;
    if (!m_adapterLayers.empty())
        m_adapters.emplace(units, m_adapterLayers, std::vector<std::string> {kDefaultAdapter}, m_experiment.real("lora.dropout"));
}

void PictureTask::loadWeights()
{
    if (m_isNew)
        return;
    loadFolderWeights(*m_model, *m_units, m_place.mesh, m_folder.component(m_component));
    if (m_adapterFile)
        loadAdapter(*m_units, m_place.mesh, *m_adapterFile, kDefaultAdapter);
}

std::map<std::string, std::string> PictureTask::stateOptions() const
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

EvaluationPlace PictureTask::evaluation(Weights weights) const
{
    return {*m_model, *m_units, weights, m_place.mesh.data(), m_experiment.integer("batch.micro"), m_experiment.real("flow.guidance"), seed(), m_place.device};
}

double PictureTask::validationLoss(Weights weights) { return heldOutLoss(evaluation(weights), m_pictures, m_sigmas); }

at::Tensor PictureTask::samples(Weights weights)
{
    std::optional<FolderTransformer> other;  // in memory for as long as it draws
    if (m_pipeline.secondSigma() > 0)
        other.emplace(m_experiment, m_folder, m_component == kSecond ? "transformer" : kSecond, AdapterInUse {}, m_place.mesh, m_place.device);
    const Denoiser denoiser = [&](const ModelInput& input, double timestep) {
        const bool isOfSecond = timestep < m_pipeline.secondTimestep();
        return other && isOfSecond != (m_component == kSecond) ? other->velocity(input) : predict(*m_model, *m_units, input);
    };
    const at::Tensor drawn = drawPrompts(evaluation(weights), denoiser, m_pictures, m_pipeline,
        {m_prompts, m_experiment.text("sample.negative"), m_experiment.integer("data.resolution"), frames(), samplerOptions(m_experiment)});
    m_pipeline.release();
    return drawn;
}

std::string PictureTask::samplePrompt() const
{
    std::string text;
    for (const std::string& prompt : m_prompts)
        text += (text.empty() ? "" : " | ") + prompt;
    return text;
}

std::string PictureTask::writeSamples(const std::filesystem::path& runFolder, const at::Tensor& pictures, std::int64_t step)
{
    const auto count = static_cast<double>(pictures.size(0));
    const double columns = m_pipeline.traits().isVideo() ? count / static_cast<double>(m_prompts.size()) : std::ceil(std::sqrt(count));
    return writeSampleGrid(runFolder, pictures, static_cast<int>(columns), samplePrompt(), step, seed(), samplerOptions(m_experiment));
}

}  // namespace engine
