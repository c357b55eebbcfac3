// Experiment::validate(): rules that span several options, and files that must exist.
#include "engine/contract/experiment/acting_rules.h"
#include "engine/contract/experiment/batch_shape.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/mesh_shape.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/experiment/step_range.h"
#include "engine/contract/experiment/unit_selection.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/variables/variable_list.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

namespace contract {
namespace {

/// A value for a message.
/// The digits data set of model.name = dit.
void checkDigits(const Experiment& experiment, std::vector<Problem>& problems)
{
    const auto& path = experiment.text("data.path");
    std::error_code error;
    if (path.empty())
        problems.push_back({"data.path", "data.path is not set: give the file to train on", 0});
    else if (!std::filesystem::is_regular_file(path, error))
        problems.push_back({"data.path", "data.path = " + quotedText(path) + ": no such file", 0});
    else if (std::ifstream file(path, std::ios::binary); !file)
        problems.push_back(
            {"data.path", "data.path = " + quotedText(path) + ": " + std::strerror(errno), 0});
}

/// The shape of a transformer that is trained from scratch.
void checkShape(const Experiment& experiment, std::vector<Problem>& problems)
{
    if (experiment.integer("model.width") % (2 * experiment.integer("model.heads")) != 0)
        problems.push_back({"model.width",
            "model.width = " + std::to_string(experiment.integer("model.width"))
                + ": must be a multiple of twice model.heads = "
                + std::to_string(experiment.integer("model.heads")),
            0});
    if (experiment.integer("model.heads") % experiment.integer("engine.ulysses") != 0)
        problems.push_back({"engine.ulysses",
            "engine.ulysses = " + std::to_string(experiment.integer("engine.ulysses")) + " does not divide model.heads = "
                + std::to_string(experiment.integer("model.heads")) + ": choose a divisor",
            0});
}

void checkFolders(const Experiment& experiment, std::vector<Problem>& problems)
{
    const bool isFromScratch = experiment.text("model.name") == "sd3";
    const bool usesFolder = experiment.text("data.source") == "folder" && !usesPromptFile(experiment);
    const bool needsPrompts = usesFolder && experiment.text("data.folder").empty() && isPolicyAlgorithm(experiment.text("algorithm.name"))
        && !(experiment.text("algorithm.name") == "dpo" && experiment.text("dpo.source") == "offline");
    if (needsPrompts)
        problems.push_back({"rollout.prompt_file",
            "rollout.prompt_file is not set: give a file with a prompt in each line, or in data.folder images whose captions are the prompts", 0});
    const std::tuple<const char*, const char*, bool> folders[] = {{"model.folder", "give the folder of a diffusers pipeline", !isFromScratch},
        {"data.folder", "give the folder of images to train on", usesFolder && !needsPrompts}};
    for (const auto& [key, advice, isNeeded] : folders) {
        if (!isNeeded)
            continue;
        std::error_code error;
        if (experiment.text(key).empty())
            problems.push_back({key, std::string(key) + " is not set: " + advice, 0});
        else if (!std::filesystem::is_directory(experiment.text(key), error))
            problems.push_back({key, std::string(key) + " = " + quotedText(experiment.text(key)) + ": no such folder", 0});
    }
    std::error_code ignored;
    if (const std::string& prior = experiment.text("data.prior_folder"); !prior.empty() && !std::filesystem::is_directory(prior, ignored))
        problems.push_back({"data.prior_folder", "data.prior_folder = " + quotedText(prior) + ": no such folder", 0});
    if (experiment.integer("data.resolution") % 16 != 0)
        problems.push_back({"data.resolution", "data.resolution = " + std::to_string(experiment.integer("data.resolution")) + ": must be a multiple of 16", 0});
    if (isFromScratch && 16 % experiment.integer("model.patch") != 0)
        problems.push_back({"model.patch", "model.patch = " + std::to_string(experiment.integer("model.patch")) + ": must be 1, 2, 4, 8 or 16", 0});
    if (isFromScratch && experiment.integer("lora.rank") > 0)
        problems.push_back({"lora.rank",
            "lora.rank = " + std::to_string(experiment.integer("lora.rank"))
                + ": a model trained from scratch takes no adapter; set it to 0", 0});
}

bool hasAdapter(const Experiment& experiment) { return experiment.integer("lora.rank") > 0 || !experiment.text("lora.init_from").empty(); }

/// What a LoRA adapter requires of other options.
void checkAdapter(const Experiment& experiment, std::vector<Problem>& problems)
{
    if (!hasAdapter(experiment))
        return;
    if (experiment.text("model.trainable") != "all")
        problems.push_back({"model.trainable",
            "model.trainable = " + quotedText(experiment.text("model.trainable"))
                + ": with an adapter, only the adapter trains; set it to \"all\", or set lora.rank = 0", 0});
    const bool isNewAdapter = experiment.text("lora.init_from").empty();
    if (const std::int64_t rank = experiment.integer("lora.rank"); isNewAdapter && experiment.text("lora.init") == "orthogonal" && rank % 2 != 0)
        problems.push_back({"lora.rank", "lora.rank = " + std::to_string(rank) + ": must be even for lora.init = \"orthogonal\"", 0});
    if (experiment.real("lora.dropout") > 0 && experiment.integer("engine.ulysses") * experiment.integer("engine.ring") > 1)
        problems.push_back({"lora.dropout",
            "lora.dropout = " + shortestText(experiment.real("lora.dropout"))
                + ": ranks that share a sequence would draw the same dropout mask; set it to 0, or set engine.ulysses and "
                  "engine.ring to 1", 0});
}

/// What prompts and rewards of the digits model cannot be.
void checkDigitsPolicy(const Experiment& experiment, std::vector<Problem>& problems)
{
    for (const char* key : {"rollout.prompt_file", "reward.functions"}) {
        if (!experiment.text(key).empty())
            problems.push_back({key, std::string(key) + " = " + quotedText(experiment.text(key))
                    + ": model.name = \"dit\" has its own prompts and reward, the digits and how well they are recognised; unset it", 0});
    }
    if (policySettings(experiment).forward.hasStoredPairs)
        problems.push_back({"dpo.source", "dpo.source = \"offline\": model.name = \"dit\" has no folder of pairs; set it to \"online\"", 0});
    if (const std::string& gold = experiment.text("gold.reward"); !gold.empty() && gold != "judge")
        problems.push_back({"gold.reward",
            "gold.reward = " + quotedText(gold) + ": the digits model has one other reward; set it to \"judge\", or to nothing", 0});
}

std::string keysOf(const std::vector<RewardSpec>& rewards)
{
    std::string text;
    for (const RewardSpec& reward : rewards)
        text += (text.empty() ? "" : ", ") + reward.key;
    return text;
}

/// What an image model needs so that a reward can train it.
void checkImagePolicy(const Experiment& experiment, std::vector<Problem>& problems)
{
    const std::string algorithm = "algorithm.name = " + quotedText(experiment.text("algorithm.name"));
    const std::string& functions = experiment.text("reward.functions");
    const bool hasPairs = policySettings(experiment).forward.hasStoredPairs;
    if (hasPairs && experiment.text("data.source") != "folder")
        problems.push_back({"data.source", "data.source = " + quotedText(experiment.text("data.source"))
                + ": dpo.source = \"offline\" reads pairs from a folder; set it to \"folder\"", 0});
    if (const bool needsNone = hasPairs || experiment.text("algorithm.name") == "distill"; !needsNone || !functions.empty())
        std::ranges::move(problemsOfRewards(functions, experiment.text("reward.judge_model")), std::back_inserter(problems));
    const bool hasBase = experiment.text("data.source") == "emoji";  // it is trained first, see engine/worker/supervised_base.h
    if (experiment.text("model.name") == "sd3" && !hasBase && experiment.text("checkpoint.init_from").empty())
        problems.push_back({"checkpoint.init_from",
            "checkpoint.init_from is not set: " + algorithm + " improves a model that draws already; give the checkpoint of one that "
                "algorithm.name = \"flow_matching\" has trained", 0});
    Problem mistake;
    const auto rewards = parseRewards(functions, mistake);
    if (const std::string& gold = experiment.text("gold.reward");
        !gold.empty() && rewards && std::ranges::find(*rewards, gold, &RewardSpec::key) == rewards->end())
        problems.push_back({"gold.reward", "gold.reward = " + quotedText(gold) + ": is not among reward.functions, whose short names are "
                + keysOf(*rewards) + "; add it there with the weight 0", 0});
    const auto compares = [](const RewardSpec& reward) { return reward.scope != RewardScope::Sample; };
    if (experiment.boolean("reward.shard") && rewards && std::ranges::any_of(*rewards, compares))
        problems.push_back({"reward.shard", "reward.shard = true: ranks that share a model score equally many samples at the same time, but rewards "
                "with group: or pairs: are scored prompt by prompt; set it to false", 0});
    std::error_code error;
    const std::string& file = experiment.text("rollout.prompt_file");
    if (!file.empty() && std::filesystem::is_directory(file, error))
        problems.push_back({"rollout.prompt_file", "rollout.prompt_file = " + quotedText(file) + ": is a folder, not a file of prompts", 0});
    else if (!file.empty() && !std::filesystem::is_regular_file(file, error))
        problems.push_back({"rollout.prompt_file", "rollout.prompt_file = " + quotedText(file) + ": no such file", 0});
    else if (std::ifstream stream(file, std::ios::binary); !file.empty() && !stream)
        problems.push_back({"rollout.prompt_file", "rollout.prompt_file = " + quotedText(file) + ": " + std::strerror(errno), 0});
    if (hasAdapter(experiment) && experiment.real("lora.dropout") > 0)
        problems.push_back({"lora.dropout",
            "lora.dropout = " + shortestText(experiment.real("lora.dropout")) + ": " + algorithm
                + " compares what the same weights predict when samples are drawn and when they are trained on; set it to 0", 0});
}

/// What pairs and groups require of the passes of an update.
void checkPasses(const PolicySettings& settings, std::int64_t micro, double averageDecay, int dataRanks, std::vector<Problem>& problems)
{
    const std::string microText = "batch.micro = " + std::to_string(micro);
    if (settings.arePairs() && (micro % 2 != 0 || settings.trainedSamples() % (dataRanks * micro * settings.miniBatches) != 0))
        problems.push_back({"batch.micro",
            microText + ": dpo trains on a pair of samples of each prompt, " + std::to_string(settings.trainedSamples())
                + " samples in all, of which " + std::to_string(dataRanks) + " data-parallel ranks and "
                + std::to_string(settings.miniBatches) + " updates take equally many passes; set it to an even number that, times both, divides the samples", 0});
    if (settings.algorithm == "dgpo" && dataRanks * micro % settings.rollout.samplesPerPrompt != 0)
        problems.push_back({"batch.micro",
            microText + ": dgpo compares all samples of a prompt in one pass; set it so that the passes of " + std::to_string(dataRanks)
                + " data-parallel ranks together are a multiple of rollout.samples_per_prompt = "
                + std::to_string(settings.rollout.samplesPerPrompt), 0});
    if (settings.isReferenceAverage && settings.klCoefficient != 0 && averageDecay == 0)
        problems.push_back({"policy.reference",
            "policy.reference = \"ema\", but ema.decay = 0 keeps no moving average: set ema.decay above 0, or policy.reference to \"start\"", 0});
    if (settings.algorithm == "awm" && settings.forward.awmAverageCoefficient != 0 && averageDecay == 0)
        problems.push_back({"awm.ema_coef",
            "awm.ema_coef = " + shortestText(settings.forward.awmAverageCoefficient)
                + ", but ema.decay = 0 keeps no moving average: set ema.decay above 0, or awm.ema_coef to 0", 0});
}

/// @param dataRanks among which the samples of a round are divided
void checkPolicy(const Experiment& experiment, int dataRanks, std::vector<Problem>& problems)
{
    if (experiment.text("model.name") == "dit")
        checkDigitsPolicy(experiment, problems);
    else
        checkImagePolicy(experiment, problems);
    const PolicySettings settings = policySettings(experiment);
    std::ranges::move(problemsOf(settings), std::back_inserter(problems));
    const std::int64_t samples = settings.rollout.rows(), micro = experiment.integer("batch.micro");
    checkPasses(settings, micro, experiment.real("ema.decay"), dataRanks, problems);
    if (!settings.forward.hasStoredPairs && samples % (dataRanks * micro * settings.miniBatches) != 0)
        problems.push_back({"rollout.prompts",
            "rollout.prompts times rollout.samples_per_prompt" + std::string(settings.rollout.branchSteps > 0 ? " times rollout.branch_steps" : "") + " = " + std::to_string(samples) + " is not a multiple of batch.micro = "
                + std::to_string(micro) + " times the " + std::to_string(dataRanks) + " data-parallel ranks times policy.mini_batches = "
                + std::to_string(settings.miniBatches) + ": choose a multiple", 0});
}

/// The variables of launch.environment.
void checkVariables(const Experiment& experiment, std::vector<Problem>& problems)
{
    // What each rank has from Atelier, and the option that changes it; empty: none does.
    static const std::map<std::string_view, std::string> own = {{"RANK", ""}, {"LOCAL_RANK", ""}, {"WORLD_SIZE", ""}, {"LOCAL_WORLD_SIZE", ""}, {"MASTER_ADDR", ""},
        {"MASTER_PORT", ""}, {"CUDA_VISIBLE_DEVICES", "; use launch.gpus"}, {"OMP_NUM_THREADS", "; use run.threads"}};
    const ParsedVariables parsed = parseVariables(experiment.text("launch.environment"));
    std::string problem = parsed.problem;
    for (const auto& [name, value] : parsed.variables) {
        const auto found = own.find(name);
        if (found != own.end() || name.starts_with("ATELIER_"))
            problem = name + " is set by Atelier" + (found == own.end() ? std::string() : found->second);
    }
    if (!problem.empty())
        problems.push_back({"launch.environment", "launch.environment: " + problem, 0});
}

}  // namespace

std::vector<Problem> Experiment::validate() const
{
    std::vector<Problem> problems;
    if (text("model.name") == "dit") {
        checkDigits(*this, problems);
    } else {
        checkFolders(*this, problems);
        checkAdapter(*this, problems);
    }
    if (text("model.name") != "diffusers")
        checkShape(*this, problems);
    std::ranges::move(gpuProblems(*this), std::back_inserter(problems));
    std::ranges::move(slurmProblems(*this), std::back_inserter(problems));
    checkVariables(*this, problems);
    std::optional<Problem> problem;
    const MeshShape shape = meshShape(*this, static_cast<int>(integer("launch.ranks")), problem);
    if (!problem && isPolicyAlgorithm(text("algorithm.name")))
        checkPolicy(*this, shape.data(), problems);
    else if (!problem)
        accumulationSteps(*this, shape.data(), problem);
    if (problem)
        problems.push_back(*problem);
    for (const char* key : {"engine.recompute", "engine.keep_gathered", "engine.fp32_blocks"}) {
        if (!UnitSelection::parse(text(key)))
            problems.push_back({key, key + (" = " + quotedText(text(key)))
                    + ": must be none, all, every N or names of blocks, as in blocks.0, blocks.1*", 0});
    }
    const std::string& profiled = text("run.profile_steps");
    if (!profiled.empty() && !parseStepRange(profiled))
        problems.push_back({"run.profile_steps",
            "run.profile_steps = " + quotedText(profiled) + ": must be a range of steps from 1 on, as in 10..15", 0});
    if (const ActingRules rules = parseActingRules(text("run.rules")); !rules.problem.empty())
        problems.push_back({"run.rules", "run.rules: " + rules.problem, 0});
    if (text("run.name").empty() || text("run.name").size() > 100)
        problems.push_back({"run.name", "run.name: must have 1 to 100 characters", 0});
    return problems;
}

}  // namespace contract
