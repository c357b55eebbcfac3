#include "launcher/plan/preflight.h"

#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/host_replicas.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/plan/preflight_checks.h"
#include "launcher/plan/timed_checks.h"
#include "launcher/ranks/master_socket.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_client.h"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <utility>

namespace launcher {
namespace {

using Level = PreflightItem::Level;
using Kind = PreflightFix::Kind;

/// What a button can do about a problem of the experiment.
std::vector<PreflightFix> fixesFor(const contract::Experiment& experiment, const contract::Problem& problem)
{
    const contract::Option* const option = contract::findOption(problem.key);
    if (!option)
        return {};
    const PreflightFix show {.kind = Kind::ShowOption, .label = "Show the option", .key = problem.key};
    if (problem.key == "launch.gpus" && !contract::namedGpus(experiment).empty()) {
        const auto count = std::to_string(contract::namedGpus(experiment).size());
        return {{.kind = Kind::SetOptions, .label = "Start " + count + (count == "1" ? " process" : " processes"), .values = {{"launch.ranks", count}}},
            {.kind = Kind::SetOptions, .label = "Use any GPUs", .values = {{"launch.gpus", ""}}}};
    }
    if (!contract::isPath(option->type))
        return {show};
    const bool isFolder = option->type == contract::OptionType::FolderPath;
    return {{.kind = Kind::ChoosePath, .label = isFolder ? "Choose a folder…" : "Choose a file…", .key = problem.key}, show};
}

}  // namespace

std::vector<PreflightItem> checkWorker()
{
    const std::string worker = programPath("atelier-worker");
    if (::access(worker.c_str(), X_OK) == 0)
        return {{Level::Ok, "Worker", worker}};
    return {{Level::Error, "Worker",
        "the worker program " + contract::cannotBe("executed", worker, errno)
            + "; build or install it, or set ATELIER_WORKER to its path"}};
}

std::vector<PreflightItem> checkHome(const DataHome& home)
{
    const PreflightFix elsewhere {.kind = Kind::MoveHome, .label = "Keep runs elsewhere…"};
    try {
        home.create();
    } catch (const std::exception& error) {
        return {{Level::Error, "Data home", error.what(), {elsewhere}}};
    }
    if (::access(home.runs().c_str(), W_OK | X_OK) != 0)
        return {{Level::Error, "Data home", contract::cannotBe("written", home.runs(), errno), {elsewhere}}};
    return {{Level::Ok, "Data home", home.data.string()}};
}

std::vector<PreflightItem> checkPort()
{
    MasterSocket socket;
    const std::string problem = socket.open();
    return {problem.empty() ? PreflightItem {Level::Ok, "Port", "127.0.0.1 has free ports"}
                            : PreflightItem {Level::Error, "Port", problem}};
}

std::vector<PreflightItem> checkSlurm()
{
    constexpr std::chrono::milliseconds kLimit(800);  // of each of two questions
    const std::string problem = slurmProblem(kLimit);
    return {problem.empty() ? PreflightItem {Level::Ok, "Slurm", "the cluster takes jobs from this machine"}
                            : PreflightItem {Level::Error, "Slurm", problem}};
}

std::vector<PreflightItem> checkHosts(const contract::Experiment& experiment)
{
    const std::int64_t ranks = experiment.integer("launch.ranks"), nodes = experiment.integer("slurm.nodes");
    const auto spread = contract::sequenceSpread(experiment, static_cast<int>(ranks), ranks % nodes == 0 ? static_cast<int>(ranks / nodes) : 0);
    if (spread.sentence.empty())
        return {};
    return {{spread.isSlow ? Level::Warning : Level::Ok, "Hosts", spread.sentence}};
}

std::vector<PreflightItem> preflight(const DataHome& home, const contract::Experiment& experiment)
{
    constexpr std::chrono::milliseconds kLimit(1900);
    const auto sources = [home, experiment] {
        std::vector<PreflightItem> items;
        const auto problems = experiment.validate();
        for (const contract::Problem& problem : problems)
            items.push_back({Level::Error, "Experiment", problem.message, fixesFor(experiment, problem)});
        if (!problems.empty())
            return items;
        for (auto& part : {checkModel(experiment), checkData(home, experiment), checkOrigin(experiment), checkRewards(experiment)})
            items.insert(items.end(), part.begin(), part.end());
        return items;
    };
    std::vector<TimedCheck> checks {{"Worker", checkWorker}, {"Data home", [home] { return checkHome(home); }},
        {"Disk", [home, experiment] { return checkDisk(home, experiment); }}};
    if (contract::isForSlurm(experiment)) {
        checks.push_back({"Slurm", checkSlurm});
        checks.push_back({"Hosts", [experiment] { return checkHosts(experiment); }});
    } else {
        checks.push_back({"Port", checkPort});
        checks.push_back({"Devices", [home, experiment] { return checkDevices(home, experiment); }});
    }
    checks.push_back({"Experiment", sources});
    return runChecks(checks, kLimit);
}

}  // namespace launcher
