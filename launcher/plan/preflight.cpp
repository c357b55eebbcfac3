#include "launcher/plan/preflight.h"

#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/host_replicas.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/base/program_path.h"
#include "launcher/plan/preflight_checks.h"
#include "launcher/plan/timed_checks.h"
#include "launcher/ranks/master_socket.h"
#include "launcher/ranks/worker_libraries.h"
#include "launcher/slurm/slurm_client.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <map>
#include <memory>
#include <string_view>
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

/// A check, and the options that it reads, as beginnings of their keys: it is done once for all experiments that are equal in these.
struct OptionCheck {
    TimedCheck check;
    std::vector<std::string_view> reads;
};

constexpr std::string_view kAnyOption;  // every key begins with it

/// What has been found about models and data, by valuesOf() the options that say which. Used by one thread at a time.
using SourceFindings = std::map<std::string, std::vector<PreflightItem>>;

std::string valuesOf(const contract::Experiment& experiment, const std::vector<std::string_view>& beginnings)
{
    std::string text;
    for (const contract::Option& option : contract::options()) {
        if (std::ranges::any_of(beginnings, [&](std::string_view beginning) { return option.key.starts_with(beginning); }))
            text += contract::toText(experiment.value(option.key)) + "\n";
    }
    return text;
}

/// What the experiment reads, which exists only if the experiment validates.
std::vector<PreflightItem> checkSources(const DataHome& home, const contract::Experiment& experiment, SourceFindings& known)
{
    std::vector<PreflightItem> items;
    for (const contract::Problem& problem : experiment.validate())
        items.push_back({Level::Error, kExperimentCheck, problem.message, fixesFor(experiment, problem), problem.key});
    if (!items.empty())
        return items;
    auto& found = known[valuesOf(experiment, {"model.", "lora.", "data.", "algorithm.", "rollout.", "dpo.", "reward.", "checkpoint.init_from"})];
    if (found.empty()) {
        for (auto& part : {checkModel(experiment), checkData(home, experiment), checkOrigin(experiment), checkRewards(experiment)})
            found.insert(found.end(), part.begin(), part.end());
    }
    return found;
}

std::vector<OptionCheck> checksFor(
    const DataHome& home, const std::shared_ptr<const contract::Experiment>& experiment, const std::shared_ptr<SourceFindings>& sources)
{
    std::vector<OptionCheck> checks {
        {{"Worker", [experiment] { return checkWorker(*experiment); }}, {"launch.target", "launch.environment"}},
        {{"Data home", [home] { return checkHome(home); }}, {}},
        {{"Disk", [home, experiment] { return checkDisk(home, *experiment); }},
            {"run.total_steps", "model.", "lora.rank", "optim.kind", "ema.decay", "checkpoint."}}};
    if (contract::isForSlurm(*experiment)) {
        checks.push_back({{"Slurm", checkSlurm}, {}});
        checks.push_back({{"Hosts", [experiment] { return checkHosts(*experiment); }}, {kAnyOption}});
    } else {
        checks.push_back({{"Port", checkPort}, {}});
        checks.push_back({{"Devices", [home, experiment] { return checkDevices(home, *experiment); }}, {"run.device", "launch."}});
    }
    checks.push_back({{kExperimentCheck, [home, experiment, sources] { return checkSources(home, *experiment, *sources); }}, {kAnyOption}});
    return checks;
}

}  // namespace

std::vector<PreflightItem> checkWorker(const contract::Experiment& experiment)
{
    const std::string worker = programPath("atelier-worker");
    if (::access(worker.c_str(), X_OK) == 0) {
        // A job of Slurm runs on other machines, in an environment of its own.
        const std::string problem = contract::isForSlurm(experiment)
            ? std::string()
            : missingLibraries(worker, contract::parseVariables(experiment.text("launch.environment")).variables);
        return {{problem.empty() ? Level::Ok : Level::Error, "Worker", problem.empty() ? worker : problem}};
    }
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
    return preflightAll(home, {experiment}).front();
}

std::vector<std::vector<PreflightItem>> preflightAll(const DataHome& home, const std::vector<contract::Experiment>& experiments)
{
    constexpr std::chrono::milliseconds kLimit(1900);
    const auto sources = std::make_shared<SourceFindings>();
    std::vector<TimedCheck> checks;
    std::map<std::string, std::size_t> numbers;  // of the checks, by their names and what they read
    std::vector<std::vector<std::size_t>> checksOfRun;
    for (const contract::Experiment& each : experiments) {
        auto& ofRun = checksOfRun.emplace_back();
        for (OptionCheck& check : checksFor(home, std::make_shared<const contract::Experiment>(each), sources)) {
            const auto [number, isNew] = numbers.try_emplace(check.check.what + "\n" + valuesOf(each, check.reads), checks.size());
            if (isNew)
                checks.push_back(std::move(check.check));
            ofRun.push_back(number->second);
        }
    }
    const auto found = runChecks(checks, kLimit);
    std::vector<std::vector<PreflightItem>> all;
    for (const std::vector<std::size_t>& ofRun : checksOfRun) {
        auto& items = all.emplace_back();
        for (const std::size_t number : ofRun)
            items.insert(items.end(), found[number].begin(), found[number].end());
    }
    return all;
}

}  // namespace launcher
