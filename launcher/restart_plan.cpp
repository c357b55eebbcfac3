#include "launcher/supervisor/restart_plan.h"

#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/experiment/mesh_shape.h"
#include "engine/contract/experiment/policy_settings.h"
#include "launcher/machine/nvml.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace launcher {
namespace {

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ",") + name;
    return text;
}

std::string counted(std::int64_t count, const std::string& what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); }

void set(contract::Experiment& experiment, std::string_view key, const contract::OptionValue& value)
{
    if (const auto problem = experiment.set(key, value))
        throw std::logic_error(problem->message);
}

/// Makes the number of samples of a step independent of the number of ranks. An algorithm that trains on rollouts has it from its rounds.
void fixSamplesOfAStep(contract::Experiment& experiment)
{
    std::optional<contract::Problem> problem;
    const auto shape = contract::meshShape(experiment, static_cast<int>(experiment.integer("launch.ranks")), problem);
    if (experiment.integer("batch.global") > 0 || contract::isPolicyAlgorithm(experiment.text("algorithm.name")) || problem)
        return;
    set(experiment, "batch.global", experiment.integer("batch.micro") * experiment.integer("batch.accumulation") * shape.data());
    set(experiment, "batch.accumulation", std::int64_t {1});
}

}  // namespace

std::vector<std::string> gpusFor(const contract::Experiment& experiment)
{
    if (experiment.text("run.device") == "cpu")
        return {};
    return visibleGpus(hostGpus(), std::getenv("CUDA_VISIBLE_DEVICES"));
}

RestartPlan planRestart(const contract::Experiment& last, const std::vector<std::string>& before, const std::vector<std::string>& now)
{
    const auto ranks = static_cast<std::size_t>(last.integer("launch.ranks"));
    std::vector<std::string> left;
    std::ranges::copy_if(before, std::back_inserter(left), [&](const std::string& gpu) { return std::ranges::find(now, gpu) != now.end(); });
    RestartPlan plan {.experiment = last, .visibleGpus = {}, .notice = {}, .problem = {}};
    if (before.size() < ranks || left.size() == before.size())
        return plan;  // they do not train on GPUs, or all of them are still there
    plan.visibleGpus = joined(left);
    const std::string lost = counted(static_cast<std::int64_t>(before.size() - left.size()), "GPU") + (before.size() - left.size() == 1 ? " is" : " are") + " lost";
    const auto isNamed = !contract::namedGpus(last).empty();
    const std::int64_t fewest = last.integer("launch.min_ranks") > 0 ? last.integer("launch.min_ranks") : static_cast<std::int64_t>(ranks);
    const auto most = static_cast<std::int64_t>(std::min(left.size(), ranks));
    for (std::int64_t count = most; count >= std::max<std::int64_t>(fewest, 1); --count) {
        contract::Experiment next = last;
        if (count < static_cast<std::int64_t>(ranks))
            fixSamplesOfAStep(next);
        set(next, "launch.ranks", count);
        if (isNamed)
            set(next, "launch.gpus", joined({left.begin(), left.begin() + count}));
        if (!next.validate().empty())
            continue;
        plan.experiment = next;
        if (count < static_cast<std::int64_t>(ranks))
            plan.notice = "goes on with " + counted(count, "rank") + " instead of " + std::to_string(ranks) + ", because " + lost;
        return plan;
    }
    plan.problem = most < fewest ? lost + ", and launch.min_ranks = " + std::to_string(last.integer("launch.min_ranks"))
            + (last.integer("launch.min_ranks") > 0 ? "" : " allows no fewer ranks")
                                 : lost + ", and on fewer ranks a step would not have the same number of samples";
    return plan;
}

}  // namespace launcher
