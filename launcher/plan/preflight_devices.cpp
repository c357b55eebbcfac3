// The check of preflight() for GPUs and processor cores.
#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/formats/text.h"
#include "launcher/machine/gpus.h"
#include "launcher/machine/nvml.h"
#include "launcher/plan/preflight_checks.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <thread>

namespace launcher {
namespace {

using Level = PreflightItem::Level;
using Kind = PreflightFix::Kind;

/// "1 rank", "2 ranks".
std::string counted(std::int64_t count, const std::string& thing)
{
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

PreflightFix startRanks(std::int64_t ranks)
{
    return {.kind = Kind::SetOptions, .label = "Start " + std::to_string(ranks) + (ranks == 1 ? " process" : " processes"),
        .values = {{"launch.ranks", std::to_string(ranks)}}};
}

const PreflightFix kUseCpu {.kind = Kind::SetOptions, .label = "Train on the CPU", .values = {{"run.device", "cpu"}, {"launch.gpus", ""}}};
const PreflightFix kUseAny {.kind = Kind::SetOptions, .label = "Use any GPUs", .values = {{"launch.gpus", ""}}};

std::string joined(const std::vector<std::string>& words, const char* between)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : between) + word;
    return text;
}

/// The GPUs of these UUIDs, in that order. MIG devices are not among them.
std::vector<Gpu> gpusOf(const std::vector<Gpu>& all, const std::vector<std::string>& uuids)
{
    std::vector<Gpu> found;
    for (const std::string& uuid : uuids)
        std::ranges::copy_if(all, std::back_inserter(found), [&](const Gpu& gpu) { return gpu.uuid == uuid; });
    return found;
}

/// "GPU 0 is used by python3 (process 4711 of anna), 12.3 GB"; empty when nobody computes on them.
std::string whoUses(const std::vector<Gpu>& gpus)
{
    std::vector<std::string> users;
    for (const Gpu& gpu : gpus) {
        std::vector<std::string> processes;
        std::ranges::transform(gpu.processes, std::back_inserter(processes), &GpuProcess::words);
        if (!processes.empty())
            users.push_back("GPU " + std::to_string(gpu.index) + " is used by " + joined(processes, " and "));
    }
    return joined(users, "; ");
}

std::string namesOf(const std::vector<Gpu>& gpus)
{
    std::vector<std::string> names;
    for (const Gpu& gpu : gpus)
        names.push_back("GPU " + std::to_string(gpu.index) + " (" + gpu.name + ")");
    return joined(names, ", ");
}

/// A fix that chooses @p ranks of @p gpus on which nobody computes.
std::vector<PreflightFix> useIdle(const std::vector<Gpu>& gpus, std::int64_t ranks)
{
    std::vector<std::string> idle, indices;
    for (const Gpu& gpu : gpus) {
        if (gpu.processes.empty() && std::ssize(idle) < ranks) {
            idle.push_back(gpu.uuid);
            indices.push_back(std::to_string(gpu.index));
        }
    }
    if (std::ssize(idle) < ranks)
        return {};
    return {{.kind = Kind::SetOptions, .label = (ranks == 1 ? "Use the free GPU " : "Use the free GPUs ") + joined(indices, ", "),
        .values = {{"launch.gpus", joined(idle, ",")}}}};
}

PreflightItem checkUse(const std::vector<Gpu>& used, const std::vector<Gpu>& usable, std::int64_t ranks)
{
    const std::string users = whoUses(used);
    if (users.empty())
        return {Level::Ok, "Devices", namesOf(used)};
    return {Level::Warning, "Devices", users + ": training shares its memory and is slower", useIdle(usable, ranks)};
}

PreflightItem checkChosen(const contract::Experiment& experiment, const GpuList& list, const std::vector<std::string>& uuids,
    const std::vector<Gpu>& usable)
{
    const std::vector<std::string> named = contract::namedGpus(experiment);
    const std::vector<std::string> chosen = chosenGpus(experiment, uuids);
    if (chosen.size() < named.size()) {
        std::vector<PreflightFix> fixes = {kUseCpu};
        if (std::ssize(usable) >= experiment.integer("launch.ranks"))
            fixes.insert(fixes.begin(), kUseAny);
        std::string missing;
        std::vector<std::string> known;
        for (const std::string& name : named) {
            const std::vector<std::string> one = visibleGpus(uuids, name.c_str());
            if (one.empty()) {
                missing = contract::shortened(name);
                break;
            }
            if (std::ranges::count(known, one.front()) > 0)  // which hides all of them from CUDA
                return {Level::Error, "Devices", "launch.gpus: " + contract::shortened(name) + " is a GPU that is named before; each rank needs one of its own", fixes};
            known.push_back(one.front());
        }
        return {Level::Error, "Devices", "launch.gpus: this machine has no " + missing
                + (list.problem.empty() ? "; choose other GPUs" : " (" + list.problem + ")"), fixes};
    }
    return checkUse(gpusOf(list.gpus, chosen), usable, experiment.integer("launch.ranks"));
}

/// Which GPUs the ranks would get if they were started now.
PreflightItem checkFree(const std::vector<std::string>& free, const std::vector<Gpu>& usable, std::int64_t ranks)
{
    if (std::ssize(free) >= ranks)
        return {Level::Ok, "Devices", "free now: " + namesOf(gpusOf(usable, {free.begin(), free.begin() + ranks}))};
    const std::string users = whoUses(usable);
    return {Level::Warning, "Devices", "launch.gpus = free: " + counted(std::ssize(free), "GPU") + (free.size() == 1 ? " is" : " are") + " free for "
            + counted(ranks, "rank") + (users.empty() ? "" : " (" + users + ")") + "; in the queue the run waits for more", {kUseAny}};
}

PreflightItem checkCores(std::int64_t ranks)
{
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::string cpu = counted(ranks, "rank") + " on " + counted(cores, "processor core");
    if (ranks > cores)
        return {Level::Warning, "Devices", cpu + ": ranks will share cores, which is slow", {startRanks(cores)}};
    return {Level::Ok, "Devices", cpu};
}

}  // namespace

std::vector<PreflightItem> checkDevices(const DataHome& home, const contract::Experiment& experiment)
{
    const auto ranks = experiment.integer("launch.ranks");
    const std::string& device = experiment.text("run.device");
    if (device == "cpu")
        return {checkCores(ranks)};
    const GpuList list = readGpus();
    std::vector<std::string> uuids;
    std::ranges::transform(list.gpus, std::back_inserter(uuids), &Gpu::uuid);
    const std::vector<std::string> visible = visibleGpus(uuids, std::getenv("CUDA_VISIBLE_DEVICES"));
    const std::vector<Gpu> usable = gpusOf(list.gpus, visible);
    if (!contract::namedGpus(experiment).empty())
        return {checkChosen(experiment, list, uuids, usable)};
    const auto gpus = std::ssize(visible);
    if (gpus >= ranks && contract::wantsFreeGpus(experiment))
        return {checkFree(freeGpus(home.runs()), usable, ranks)};
    if (gpus >= ranks)
        return {checkUse({usable.begin(), usable.begin() + std::min(ranks, std::ssize(usable))}, usable, ranks)};
    if (device != "cuda")
        return {checkCores(ranks)};
    std::vector<PreflightFix> fixes = {kUseCpu};
    if (gpus > 0)
        fixes.insert(fixes.begin(), startRanks(gpus));
    if (gpus > 0 && experiment.text("engine.exchange") == "gloo")
        return {{Level::Warning, "Devices", counted(ranks, "rank") + " on " + counted(gpus, "GPU") + ": ranks will share GPUs, which is slow", fixes}};
    return {{Level::Error, "Devices",
        counted(gpus, "GPU") + " for " + counted(ranks, "rank") + ": use fewer ranks (launch.ranks) or train on the CPU (run.device=cpu)", fixes}};
}

}  // namespace launcher
