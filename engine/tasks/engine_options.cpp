#include "engine/tasks/engine_options.h"

#include "engine/comm/available_memory.h"
#include "engine/comm/errors.h"
#include "engine/contract/adapters/adapter_config.h"
#include "engine/contract/checkpoint/checkpoint_measure.h"
#include "engine/contract/experiment/batch_shape.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/formats/text.h"
#include "engine/optim/optimizer.h"

#include <algorithm>
#include <optional>

namespace engine {
namespace {

contract::UnitSelection selectionOf(const contract::Experiment& experiment, const char* key)
{
    return contract::UnitSelection::parse(experiment.text(key)).value_or(contract::UnitSelection());
}

}  // namespace

at::ScalarType dtypeOf(const std::string& name)
{
    return name == "bf16" ? at::kBFloat16 : name == "fp16" ? at::kHalf : at::kFloat;
}

std::int64_t accumulationOf(const contract::Experiment& experiment, int dataRanks)
{
    std::optional<contract::Problem> problem;
    const std::int64_t steps = contract::accumulationSteps(experiment, dataRanks, problem);
    if (problem)
        throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    return steps;
}

UnitOptions unitOptions(const contract::Experiment& experiment, Mesh& mesh, const CopyStream* copies)
{
    const bool hasRollouts = contract::isPolicyAlgorithm(experiment.text("algorithm.name"));
    const contract::PolicySettings policy = hasRollouts ? contract::policySettings(experiment) : contract::PolicySettings();
    return {.computeDtype = dtypeOf(experiment.text("engine.compute_dtype")),
        .reduceDtype = dtypeOf(experiment.text("engine.reduce_dtype")),
        .keepsAverage = experiment.real("ema.decay") > 0,
        .keepsOld = hasRollouts && policy.keepsOld(),
        .keepsReference = hasRollouts && policy.keepsReference(),
        .stateBlock = stateBlockOf(experiment),
        .replicas = mesh.shape().replicas() > 1 ? &mesh.replicate() : nullptr,
        .reshardGroup = mesh.shape().reshard > 0 ? &mesh.reshard() : nullptr,
        .copies = copies};
}

SequenceOptions sequenceOptions(const contract::Experiment& experiment)
{
    const std::string& gather = experiment.text("engine.evaluation_gather");
    return {.reshardAfterForward = experiment.boolean("engine.reshard_after_forward"),
        .prefetch = experiment.boolean("engine.prefetch"),
        .reducesEachPass = experiment.boolean("engine.reduce_each_pass"),
        .recompute = selectionOf(experiment, "engine.recompute"),
        .recomputesLayers = experiment.boolean("engine.recompute_layers"),
        .keepGathered = selectionOf(experiment, "engine.keep_gathered"),
        .computeInFloat = selectionOf(experiment, "engine.fp32_blocks"),
        .fitsGathered = [gather](std::int64_t bytes, c10::Device device) {
            // The other half is left to activations, the autoencoder and a second transformer.
            return gather == "model" || (gather == "auto" && bytes <= availableBytes(device) / 2);
        }};
}

SequenceGroups sequenceGroups(const contract::Experiment& experiment, Mesh& mesh)
{
    return {&mesh.ring(), &mesh.ulysses(), attentionKernelOf(experiment.text("engine.attention"))};
}

std::string attentionNotice(const contract::Experiment& experiment, c10::Device device)
{
    const AttentionKernel requested = attentionKernelOf(experiment.text("engine.attention"));
    const AttentionShape shape {.device = device.type(), .dtype = dtypeOf(experiment.text("engine.compute_dtype"))};
    std::string obstacle = obstacleTo(requested, shape);
    const AttentionKernel forRing = ringKernel(device.type());
    if (obstacle.empty() && experiment.integer("engine.ring") > 1 && requested != AttentionKernel::Automatic && requested != forRing)
        obstacle = std::string("ring attention runs on the ") + nameOf(forRing) + " kernel only";
    return obstacle.empty() ? obstacle
                            : std::string("engine.attention = ") + nameOf(requested) + " falls back to auto: " + obstacle;
}

void requireKnownUnits(const contract::Experiment& experiment, const std::vector<UnitSpec>& specs)
{
    std::vector<std::string> names;
    for (const UnitSpec& spec : specs)
        names.push_back(spec.name);
    for (const char* key : {"engine.recompute", "engine.keep_gathered", "engine.fp32_blocks"}) {
        if (const auto unknown = selectionOf(experiment, key).unmatched(names); !unknown.empty())
            throw EngineError(EngineError::Kind::WrongUsage, std::string(key) + ": the model has no " + unknown.front()
                    + "; its blocks are " + names[std::min<std::size_t>(1, names.size() - 1)] + " to " + names.back());
    }
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
             linearModules(model.units()), contract::AdapterTargets::ofOption(experiment.text("lora.targets")),
             contract::AdapterTargets::ofOption(experiment.text("lora.exclude"))))
        layers.push_back({module, config.rank, config.scale(module)});
    return layers;
}

SigmaRule sigmaRule(const contract::Experiment& experiment, double boundary)
{
    const std::string& component = experiment.text("model.component");
    SigmaRule rule {.kind = experiment.text("flow.sigmas") == "logit_normal" ? SigmaRule::Kind::LogitNormal : SigmaRule::Kind::Uniform,
        .shift = experiment.real("flow.shift")};
    (component == "transformer_2" ? rule.highest : rule.lowest) = std::clamp(boundary, 0.0, 1.0);
    if (rule.lowest >= rule.highest)
        throw EngineError(EngineError::Kind::WrongUsage, "model.component = " + component + ": boundary_ratio = " + contract::shortestText(boundary)
                + " in the model's model_index.json leaves no noise levels for this component");
    return rule;
}

CaptionRules captionRules(const contract::Experiment& experiment)
{
    return {.dropout = experiment.real("data.caption_dropout"), .isShuffled = experiment.boolean("data.shuffle_captions"),
        .separator = ",", .fixedParts = experiment.integer("data.keep_parts")};
}

SamplerOptions samplerOptions(const contract::Experiment& experiment)
{
    return {experiment.integer("sample.steps"), experiment.real("sample.guidance")};
}

Contents contentsOf(const std::string& name) { return name == "weights" ? Contents::Weights : Contents::All; }

RotationPolicy rotationOf(const contract::Experiment& experiment)
{
    constexpr double kBytesPerGb = 1e9;
    const auto measure = contract::checkpointMeasure(experiment);
    return {.keep = experiment.integer("checkpoint.keep"),
        .keepEvery = experiment.integer("checkpoint.keep_every"),
        .keepBest = experiment.integer("checkpoint.keep_best"),
        .bestMetric = measure.metric,
        .isLowerBest = !measure.isHighestBest,
        .maxBytes = static_cast<std::uint64_t>(experiment.real("checkpoint.max_gb") * kBytesPerGb)};
}

}  // namespace engine
