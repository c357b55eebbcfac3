// Checks whether an experiment can be started.
#include "engine/contract/adapters/adapter_targets.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/emoji_files.h"
#include "launcher/folders.h"
#include "launcher/launch.h"
#include "launcher/master_socket.h"
#include "launcher/nvml.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <thread>

namespace launcher {
namespace {

namespace fs = std::filesystem;
using Level = PreflightItem::Level;

std::string gigabytes(double bytes)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
    return text;
}

/// "1 rank", "2 ranks".
std::string counted(std::int64_t count, const std::string& thing)
{
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

PreflightItem checkWorker()
{
    const std::string worker = programPath("atelier-worker");
    if (::access(worker.c_str(), X_OK) == 0)
        return {Level::Ok, "Worker", worker};
    return {Level::Error, "Worker",
        "the worker program " + contract::cannotBe("executed", worker, errno)
            + "; build or install it, or set ATELIER_WORKER to its path"};
}

PreflightItem checkHome(const DataHome& home)
{
    try {
        home.create();
    } catch (const std::exception& error) {
        return {Level::Error, "Data home", error.what()};
    }
    if (::access(home.runs().c_str(), W_OK | X_OK) != 0)
        return {Level::Error, "Data home", contract::cannotBe("written", home.runs(), errno)};
    return {Level::Ok, "Data home", home.data.string()};
}

/// Number of parameters of the transformer in @p folder, or, when @p rank > 0, of a LoRA adapter of that rank for all its
/// matrices. Returns 0 when the folder cannot be read: the ranks report that error.
double parametersIn(const std::string& folder, const std::string& component, std::int64_t rank)
{
    try {
        const contract::SafetensorsSet weights(contract::ModelFolder(folder).component(component));
        double count = 0;
        for (const auto& [name, item] : weights.items()) {
            const auto& shape = item.tensor->shape;
            if (rank == 0)
                count += static_cast<double>(item.tensor->elements());
            else if (shape.size() == 2)
                count += static_cast<double>(rank * (shape[0] + shape[1]));
        }
        return count;
    } catch (const std::exception&) {
        return 0;
    }
}

/// Parameters to train. For a model trained from scratch, estimated from its shape in units of width²: per block 4 for
/// attention, 8 for the MLP and 6 for the modulation; twice that for sd3, whose captions have their own weights.
double parameterCount(const contract::Experiment& experiment)
{
    if (experiment.text("model.name") == "diffusers")
        return parametersIn(experiment.text("model.folder"), experiment.text("model.component"), experiment.integer("lora.rank"));
    const double squaresPerBlock = experiment.text("model.name") == "sd3" ? 36 : 18;
    constexpr double kSquaresOutside = 6;
    const auto width = static_cast<double>(experiment.integer("model.width"));
    const auto depth = static_cast<double>(experiment.integer("model.depth"));
    return width * width * (squaresPerBlock * depth + kSquaresOutside);
}

/// Bytes of a checkpoint per parameter: weights, their EMA and the optimizer's moments.
double bytesPerParameter(const contract::Experiment& experiment)
{
    constexpr double kFloat = 4;
    const double weights = experiment.real("ema.decay") > 0 ? 2 * kFloat : kFloat;
    if (experiment.text("checkpoint.save") == "weights")
        return weights;
    const std::string& kind = experiment.text("optim.kind");
    return weights + (kind == "adamw8bit" ? 2 : kind == "muon" ? kFloat : 2 * kFloat);
}

/// Number of checkpoints that rotation keeps: the newest, every n-th and the best, but never more than are written.
double checkpointsKept(const contract::Experiment& experiment)
{
    const std::int64_t steps = experiment.integer("run.total_steps");
    const std::int64_t every = experiment.integer("checkpoint.every");
    const std::int64_t keepEvery = experiment.integer("checkpoint.keep_every");
    const std::int64_t written = (every > 0 ? steps / every : 0) + 1;  // one more at the end, or on request
    const std::int64_t ofEvery = every > 0 && keepEvery > 0 ? steps / std::max(every, keepEvery) : 0;
    const auto kept = static_cast<double>(experiment.integer("checkpoint.keep"))
        + static_cast<double>(experiment.integer("checkpoint.keep_best")) + static_cast<double>(ofEvery);
    return std::min(kept, static_cast<double>(written));
}

/// Bytes of the checkpoints that are kept, plus the one that is written before the oldest is removed.
double checkpointBytes(const contract::Experiment& experiment)
{
    const double one = parameterCount(experiment) * bytesPerParameter(experiment);
    const double kept = one * checkpointsKept(experiment);
    const double limit = experiment.real("checkpoint.max_gb") * 1e9;
    return (limit > 0 ? std::min(kept, std::max(limit, one)) : kept) + one;
}

PreflightItem checkDisk(const DataHome& home, const contract::Experiment& experiment)
{
    constexpr double kReserve = 1e8;  // journals, logs, samples, database
    std::error_code error;
    const fs::space_info space = fs::space(home.data, error);
    if (error)
        return {Level::Warning, "Disk", "the free space of " + contract::cannotBe("measured", home.data, error.value())};
    const double needed = checkpointBytes(experiment);
    const auto free = static_cast<double>(space.available);
    const std::string message = gigabytes(free) + " free at " + home.data.string() + ", about "
        + gigabytes(needed) + " needed for checkpoints";
    if (free < needed)
        return {Level::Error, "Disk", message + "; free some space or keep fewer (checkpoint.keep, .keep_every, .keep_best, .max_gb)"};
    if (free < needed + kReserve)
        return {Level::Warning, "Disk", message + ", which leaves little for anything else"};
    return {Level::Ok, "Disk", message};
}

PreflightItem checkPort()
{
    MasterSocket socket;
    const std::string problem = socket.open();
    return problem.empty() ? PreflightItem {Level::Ok, "Port", "127.0.0.1 has free ports"}
                           : PreflightItem {Level::Error, "Port", problem};
}

PreflightItem checkDevices(const contract::Experiment& experiment)
{
    const auto ranks = experiment.integer("launch.ranks");
    const auto gpus = static_cast<std::int64_t>(visibleGpus(hostGpus(), std::getenv("CUDA_VISIBLE_DEVICES")).size());
    const std::string& device = experiment.text("run.device");
    const std::string have = counted(gpus, "GPU") + " for " + counted(ranks, "rank");
    if (device == "cuda" && gpus < ranks)
        return {Level::Error, "Devices",
            have + ": use fewer ranks (launch.ranks) or train on the CPU (run.device=cpu)"};
    if (device != "cpu" && gpus >= ranks)
        return {Level::Ok, "Devices", have};
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::string cpu = counted(ranks, "rank") + " on " + counted(cores, "processor core");
    if (ranks > cores)
        return {Level::Warning, "Devices", cpu + ": ranks will share cores, which is slow"};
    return {Level::Ok, "Devices", cpu};
}

/// Call only for an experiment that validates, so that its data files exist.
PreflightItem checkData(const DataHome& home, const contract::Experiment& experiment)
{
    if (experiment.text("model.name") == "dit")
        return {Level::Ok, "Data", experiment.text("data.path") + " can be read"};
    if (contract::usesPromptFile(experiment))
        return {Level::Ok, "Data", experiment.text("rollout.prompt_file") + " can be read"};
    if (experiment.text("data.source") == "folder")
        return {Level::Ok, "Data", experiment.text("data.folder") + " can be read"};
    const fs::path folder = contract::emojiFolder(contract::sharedCache(home.runs() / "any"));
    std::error_code ignored;
    if (fs::is_directory(folder, ignored))
        return {Level::Ok, "Data", "the emoji images are in " + folder.string()};
    if (const std::string missing = contract::describeMissingFile({}); !missing.empty())
        return {Level::Error, "Data", "the emoji images are drawn from a font, and " + missing};
    return {Level::Ok, "Data", "the emoji images will be written to " + folder.string()};
}

/// Paths of the layers of the transformer in @p folder whose weights are matrices. Empty when the folder cannot be read: the
/// ranks report that error.
std::vector<std::string> matricesIn(const std::string& folder, const std::string& component)
{
    constexpr std::string_view kWeight = ".weight";
    std::vector<std::string> layers;
    try {
        const contract::SafetensorsSet weights(contract::ModelFolder(folder).component(component));
        for (const auto& [name, item] : weights.items()) {
            if (name.ends_with(kWeight) && item.tensor->shape.size() == 2)
                layers.push_back(name.substr(0, name.size() - kWeight.size()));
        }
    } catch (const std::exception&) {
        layers.clear();
    }
    return layers;
}

/// Whether lora.targets selects any layer of the model. The ranks check it too, but only when the run exists.
PreflightItem checkAdapter(const contract::Experiment& experiment)
{
    const std::vector<std::string> layers = matricesIn(experiment.text("model.folder"), experiment.text("model.component"));
    if (layers.empty())
        return {Level::Ok, "Adapter", "the ranks will read the model's layers"};
    try {
        const auto matched = contract::matchedModules(layers, contract::AdapterTargets::ofOption(experiment.text("lora.targets")),
            contract::AdapterTargets::ofOption(experiment.text("lora.exclude")));
        return {Level::Ok, "Adapter", counted(std::ssize(matched), "layer") + (matched.size() == 1 ? " gets" : " get") + " an adapter"};
    } catch (const std::exception& error) {
        return {Level::Error, "Adapter", std::string("lora.targets: ") + error.what()};
    }
}

/// What rewards do beyond this machine's engine: run code, send pictures. Call only for an experiment that validates.
std::vector<PreflightItem> checkRewards(const contract::Experiment& experiment)
{
    const bool trainsByRewards = contract::isPolicyAlgorithm(experiment.text("algorithm.name"));
    contract::Problem ignored;
    const auto rewards = contract::parseRewards(trainsByRewards ? experiment.text("reward.functions") : "", ignored);
    std::vector<PreflightItem> items;
    for (const contract::RewardSpec& reward : rewards.value_or(std::vector<contract::RewardSpec>())) {
        const std::string name = contract::inQuotes(contract::shortened(reward.target));
        switch (reward.kind) {
        case contract::RewardKind::BuiltIn:
        case contract::RewardKind::Clip:
        case contract::RewardKind::Aesthetic:
            break;
        case contract::RewardKind::Program:
            items.push_back({Level::Ok, "Rewards", name + " will be started by each rank"});
            break;
        case contract::RewardKind::Server:
        case contract::RewardKind::Judge:
            items.push_back({Level::Ok, "Rewards", "samples and their prompts will be sent to " + name});
            break;
        case contract::RewardKind::Script:
        case contract::RewardKind::Package:
            items.push_back({Level::Warning, "Rewards",
                name + " is a program, not only weights: it will run with your rights; use only files whose origin you trust"});
            break;
        }
    }
    return items;
}

bool hasNewAdapter(const contract::Experiment& experiment)
{
    return experiment.text("model.name") == "diffusers" && experiment.integer("lora.rank") > 0 && experiment.text("lora.init_from").empty();
}

}  // namespace

std::vector<PreflightItem> preflight(const DataHome& home, const contract::Experiment& experiment)
{
    std::vector<PreflightItem> items
        = {checkWorker(), checkHome(home), checkDisk(home, experiment), checkPort(), checkDevices(experiment)};
    const auto problems = experiment.validate();
    for (const contract::Problem& problem : problems)
        items.push_back({Level::Error, "Experiment", problem.message});
    if (problems.empty())
        items.push_back(checkData(home, experiment));
    if (problems.empty() && hasNewAdapter(experiment))
        items.push_back(checkAdapter(experiment));
    if (problems.empty())
        std::ranges::move(checkRewards(experiment), std::back_inserter(items));
    return items;
}

}  // namespace launcher
