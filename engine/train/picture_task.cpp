#include "engine/train/picture_task.h"

#include "engine/comm/errors.h"
#include "engine/contract/adapter_config.h"
#include "engine/contract/adapter_export.h"
#include "engine/contract/name_pattern.h"
#include "engine/model/adapter_source.h"
#include "engine/model/registry.h"
#include "engine/train/folder_weights.h"
#include "engine/train/run_setup.h"
#include "engine/train/sample_writer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
        if (name == "transformer" || name == "scheduler")
            continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder.component(name))) {
            const auto file = std::filesystem::canonical(entry.path());
            text += file.string() + " " + std::to_string(std::filesystem::file_size(file)) + " "
                + std::to_string(std::filesystem::last_write_time(file).time_since_epoch().count()) + "\n";
        }
    }
    return FeatureCache::keyOf(text);
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

SigmaRule sigmaRule(const contract::Experiment& experiment)
{
    return {experiment.text("flow.sigmas") == "logit_normal" ? SigmaRule::Kind::LogitNormal : SigmaRule::Kind::Uniform,
        experiment.real("flow.shift")};
}

}  // namespace

PictureTask::PictureTask(const contract::Experiment& experiment, const TaskPlace& place)
    : m_experiment(experiment)
    , m_place(place)
    , m_folder(experiment.text("model.folder"))
    , m_pipeline(m_folder, {dtypeOf(experiment.text("engine.compute_dtype")), place.device})
    , m_pictures(pictureOptions(), m_pipeline, place.mesh.world(), place.tell)
    , m_model(buildTransformer(m_folder.config("transformer"),
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
    m_pictures.prepareTexts(texts(), place.mesh.world(), place.tell, encoder.get());
    const std::int64_t passes = accumulationOf(experiment, place.mesh.data().size()), micro = experiment.integer("batch.micro");
    m_batches = std::make_unique<PictureBatches>(m_pictures,
        PictureBatchOptions {micro, micro * passes * place.mesh.data().size(), captionRules(experiment), sigmaRule(experiment),
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
    return {.folder = m_experiment.text("data.folder"),
        .resolution = static_cast<int>(m_experiment.integer("data.resolution")),
        .maxRatio = m_experiment.real("data.max_ratio"),
        .validationFraction = m_experiment.real("data.validation_fraction"),
        .seed = seed(),
        .cache = cache.empty() ? m_place.cache : std::filesystem::path(cache),
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
            if (!m_experiment.boolean("data.shuffle_captions"))
                texts.insert(picture.caption);
        }
    }
    return texts;
}

std::vector<UnitSpec> PictureTask::units() const
{
    auto specs = m_model->units();
    for (UnitSpec& unit : specs) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.initStd = 0;  // the folder's values come instead: drawing others takes longer than reading these
    }
    if (!m_adapterLayers.empty())
        declareAdapters(specs, m_adapterLayers, {kDefaultAdapter}, adapterInitOf(m_experiment.text("lora.init")));
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
    loadFolderWeights(*m_model, *m_units, m_place.mesh, m_folder.component("transformer"));
    if (m_adapterFile)
        loadAdapter(*m_units, m_place.mesh, *m_adapterFile, kDefaultAdapter);
}

std::map<std::string, std::string> PictureTask::stateOptions() const
{
    auto options = m_model->shapeOptions();
    if (m_adapterLayers.empty())
        return options;
    std::vector<contract::AdapterFile::Layer> layers;
    for (const AdapterLayer& layer : m_adapterLayers)
        layers.push_back({layer.module, layer.rank, layer.scale});
    options["lora.dtype"] = m_experiment.text("lora.dtype");
    options.merge(contract::adapterOptions(layers, !m_adapterFile && m_experiment.boolean("lora.rslora")));
    return options;
}

double PictureTask::validationLoss(Weights weights)
{
    const auto& pictures = m_pictures.validation();
    if (pictures.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const UnitSequence::EvaluationScope scope(*m_units, weights);
    Group& group = m_place.mesh.data();
    const std::size_t ranks = static_cast<std::size_t>(group.size()), rank = static_cast<std::size_t>(group.rank());
    double sum = 0;
    for (std::size_t first = 0; first < pictures.size(); first += ranks) {
        const std::size_t row = std::min(first + rank, pictures.size() - 1);  // every rank runs the same passes
        const auto latents = m_pictures.latents(pictures[row]);
        const NoisedRows noised = noiseRows(latents.mean.unsqueeze(0), {row}, seed() + 1, 0, sigmaRule(m_experiment));
        const PromptFeatures prompt = m_pictures.features(pictures[row].caption);
        const ModelInput input {.latents = noised.noisy, .sigmas = noised.sigmas, .labels = {}, .prompt = prompt.embeds,
            .promptMask = prompt.mask, .pooled = prompt.pooled,
            .guidance = at::full({1}, m_experiment.real("flow.guidance"), at::kFloat)};
        const at::Tensor velocity = predict(*m_model, *m_units, input.on(m_place.device));
        if (first + rank < pictures.size())
            sum += (velocity.cpu() - noised.target).square().mean().item<double>();
    }
    at::Tensor total = at::tensor(std::vector<double> {sum}, at::kDouble).to(m_place.device);
    group.allReduceSum(total, "validation loss");
    return total.item<double>() / static_cast<double>(pictures.size());
}

at::Tensor PictureTask::sample(std::size_t prompt)
{
    const auto edge = m_experiment.integer("data.resolution");
    const auto onDevice = [&](const std::string& text) { return m_pictures.features(text).asInput().on(m_place.device); };
    const SamplerOptions options = samplerOptions(m_experiment);
    const at::Tensor noise = normalRows({prompt}, m_pipeline.latentShape(edge, edge, frames()), seed(), "samples", 0).to(m_place.device);
    const at::Tensor latents = sampleGuided(*m_model, *m_units, noise,
        {onDevice(m_prompts[prompt]), onDevice(m_experiment.text("sample.negative"))}, m_pipeline.levels(options.steps, edge, edge, frames()),
        {m_pipeline.traits().guidance, options.guidanceScale});
    const at::Tensor drawn = m_pipeline.decode(latents).cpu();
    return m_pipeline.traits().isVideo() ? filmStrips(drawn) : drawn;
}

at::Tensor PictureTask::samples(Weights weights)
{
    const UnitSequence::EvaluationScope scope(*m_units, weights);
    Group& group = m_place.mesh.data();
    const std::size_t ranks = static_cast<std::size_t>(group.size()), rank = static_cast<std::size_t>(group.rank());
    at::Tensor pictures;  // [prompts, frames, 3, H, W]
    for (std::size_t first = 0; first < m_prompts.size(); first += ranks) {
        const at::Tensor drawn = sample(std::min(first + rank, m_prompts.size() - 1));
        if (!pictures.defined())
            pictures = at::zeros({static_cast<std::int64_t>(m_prompts.size()), drawn.size(0), 3, drawn.size(2), drawn.size(3)}, at::kFloat);
        if (first + rank < m_prompts.size())
            pictures[static_cast<std::int64_t>(first + rank)].copy_(drawn);
    }
    at::Tensor all = pictures.flatten(0, 1).to(m_place.device);  // each rank has its own, and zeros for the others'
    group.allReduceSum(all, "samples");
    return all.cpu();
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
