#include "ui/checkpoint/surplus_checkpoints.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/home/trash.h"
#include "launcher/state/run_state.h"

#include <exception>
#include <numeric>
#include <utility>

namespace ui {
namespace {

void addSurplusOf(const contract::RunFolder& run, const launcher::KeepRules& rules, Surplus& surplus)
{
    const auto latest = contract::latestCheckpoint(run).step;  // the run goes on from it, though abandoned attempts may have later ones
    std::vector<launcher::CheckpointFacts> checkpoints;
    for (const std::int64_t step : run.checkpointSteps()) {
        const bool isNeeded = step == latest || contract::attemptWaitingFor(run, run.checkpoint(step));
        launcher::CheckpointFacts facts {.step = step, .isPinned = isNeeded || contract::hasEntry(run.checkpoint(step) / contract::kPinFile), .metrics = {}};
        try {
            facts.metrics = contract::readManifest(run.checkpoint(step)).metrics;
        } catch (const std::exception& error) {
            surplus.problems.push_back(std::string(error.what()) + "; this checkpoint is left alone");
            facts.isPinned = true;
        }
        checkpoints.push_back(std::move(facts));
    }
    for (const std::int64_t step : launcher::surplusCheckpoints(checkpoints, rules))
        surplus.checkpoints.push_back({run.id(), step, run.checkpoint(step), launcher::folderBytes(run.checkpoint(step))});
}

}  // namespace

std::uint64_t Surplus::bytes() const
{
    return std::accumulate(checkpoints.begin(), checkpoints.end(), std::uint64_t {0},
        [](std::uint64_t sum, const SurplusCheckpoint& each) { return sum + each.bytes; });
}

Surplus surplusOf(const launcher::DataHome& home, const std::vector<std::string>& runs, const launcher::KeepRules& rules,
    const std::function<bool()>& isCancelled)
{
    Surplus surplus;
    for (const std::string& id : runs) {
        if (isCancelled && isCancelled())
            break;
        const contract::RunFolder run(home.runs() / id);
        if (run.checkpointSteps().size() < 2)
            continue;
        if (launcher::isActive(launcher::inspectRun(run).state))
            ++surplus.activeRuns;
        else
            addSurplusOf(run, rules, surplus);
    }
    return surplus;
}

}  // namespace ui
