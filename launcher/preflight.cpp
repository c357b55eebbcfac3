// What stands against starting an experiment.
#include "engine/contract/emoji_files.h"
#include "engine/contract/model_folder.h"
#include "engine/contract/safetensors_set.h"
#include "launcher/folders.h"
#include "launcher/launch.h"
#include "launcher/master_socket.h"
#include "launcher/sentence.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
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

PreflightItem checkWorker()
{
    const std::string worker = programPath("atelier-worker");
    if (::access(worker.c_str(), X_OK) == 0)
        return {Level::Ok, "Worker", worker};
    return {Level::Error, "Worker",
        "the program that trains, " + cannotBe("executed", worker, errno)
            + "; build or install it, or name another in ATELIER_WORKER"};
}

PreflightItem checkHome(const DataHome& home)
{
    try {
        home.create();
    } catch (const std::exception& error) {
        return {Level::Error, "Data home", error.what()};
    }
    if (::access(home.runs().c_str(), W_OK | X_OK) != 0)
        return {Level::Error, "Data home", cannotBe("written", home.runs(), errno)};
    return {Level::Ok, "Data home", home.data.string()};
}

/// Of a transformer on the disk, or of an adapter of @p rank beside all its matrices; 0 where the folder cannot be read,
/// which the ranks then tell.
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

/// Parameters of the transformer. Of one from nothing from its shape: attention 4, MLP 8 and modulation 6 squares a block,
/// twice that where the caption has weights of its own.
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

/// What a checkpoint holds for each parameter: weights, average and the optimizer's moments.
double bytesPerParameter(const contract::Experiment& experiment)
{
    constexpr double kFloat = 4;
    const double weights = experiment.real("ema.decay") > 0 ? 2 * kFloat : kFloat;
    if (experiment.text("checkpoint.save") == "weights")
        return weights;
    const std::string& kind = experiment.text("optim.kind");
    return weights + (kind == "adamw8bit" ? 2 : kind == "muon" ? kFloat : 2 * kFloat);
}

/// Checkpoints that rotation leaves at the end: the newest, every n-th and the best, and never more than are written.
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

/// The checkpoints that are kept, and the one that is written before the oldest goes.
double checkpointBytes(const contract::Experiment& experiment)
{
    const double one = parameterCount(experiment) * bytesPerParameter(experiment);
    const double kept = one * checkpointsKept(experiment);
    const double most = experiment.real("checkpoint.max_gb") * 1e9;
    return (most > 0 ? std::min(kept, std::max(most, one)) : kept) + one;
}

PreflightItem checkDisk(const DataHome& home, const contract::Experiment& experiment)
{
    constexpr double kReserve = 1e8;  // journals, logs, samples, database
    std::error_code error;
    const fs::space_info space = fs::space(home.data, error);
    if (error)
        return {Level::Warning, "Disk", "the free space " + cannotBe("measured", home.data, error.value())};
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

int gpuCount()
{
    int count = 0;
    std::error_code error;
    for (fs::directory_iterator entry("/proc/driver/nvidia/gpus", error), end; !error && entry != end;
         entry.increment(error))
        ++count;
    return count;
}

PreflightItem checkDevices(const contract::Experiment& experiment)
{
    const auto ranks = experiment.integer("launch.ranks");
    const std::int64_t gpus = gpuCount();
    const std::string& device = experiment.text("run.device");
    const std::string have = std::to_string(gpus) + " GPUs for " + std::to_string(ranks) + " ranks";
    if (device == "cuda" && gpus < ranks)
        return {Level::Error, "Devices",
            have + ": take fewer ranks (launch.ranks) or train on the CPU (run.device=cpu)"};
    if (device != "cpu" && gpus >= ranks)
        return {Level::Ok, "Devices", have};
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::string cpu
        = std::to_string(ranks) + " ranks on " + std::to_string(cores) + " processor cores";
    if (ranks > cores)
        return {Level::Warning, "Devices", cpu + ": they will wait for each other"};
    return {Level::Ok, "Devices", cpu};
}

/// Of an experiment whose files are there.
PreflightItem checkData(const DataHome& home, const contract::Experiment& experiment)
{
    if (experiment.text("model.name") == "dit")
        return {Level::Ok, "Data", experiment.text("data.path") + " can be read"};
    if (experiment.text("data.source") == "folder")
        return {Level::Ok, "Data", experiment.text("data.folder") + " can be read"};
    const fs::path folder = contract::emojiFolder(contract::sharedCache(home.runs() / "any"));
    std::error_code ignored;
    if (fs::is_directory(folder, ignored))
        return {Level::Ok, "Data", "the emoji lie in " + folder.string()};
    if (const std::string missing = contract::missingIn({}); !missing.empty())
        return {Level::Error, "Data", "the emoji are drawn from a font, and " + missing};
    return {Level::Ok, "Data", "the emoji will be written to " + folder.string()};
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
    return items;
}

}  // namespace launcher
