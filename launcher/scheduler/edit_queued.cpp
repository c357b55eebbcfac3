#include "launcher/scheduler/edit_queued.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/plan/estimate.h"
#include "launcher/queue/queue.h"
#include "launcher/runs/launch.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace launcher {
namespace {

/// Whether some program starts or has started the run's last attempt.
bool isUnderWay(const contract::RunFolder& folder)
{
    const std::vector<int> attempts = folder.attempts();
    return contract::isBeingStarted(folder) || contract::isLocked(folder) || (!attempts.empty() && contract::hasStarted(folder, attempts.back()));
}

/// @throws std::runtime_error when the run has been started, or does not wait.
QueueEntry& entryToEdit(Queue& queue, const contract::RunFolder& folder)
{
    if (isUnderWay(folder))
        throw std::runtime_error("run " + folder.id() + " has started, so its experiment stays as it is; the changes can be queued as a new run");
    return entryOf(queue, folder.id());
}

/// @throws std::runtime_error when @p after leaves no step to the attempt, which @p before did.
void checkThatStepsAreLeft(const contract::RunFolder& folder, std::int64_t parentStep, const contract::Experiment& before, const contract::Experiment& after)
{
    const std::int64_t steps = after.integer("run.total_steps");
    if (parentStep < steps || steps == before.integer("run.total_steps"))
        return;
    throw std::runtime_error("run " + folder.id() + " resumes from step " + std::to_string(parentStep) + ", so run.total_steps = " + std::to_string(steps)
        + " leaves it nothing to train; set it higher");
}

void writeExperiment(const contract::RunFolder& folder, int attempt, const contract::Experiment& experiment)
{
    const auto ranks = static_cast<int>(experiment.integer("launch.ranks"));
    contract::AttemptStart start = folder.readStart(attempt);
    if (!start.parentCheckpoint.empty())
        contract::nextStart(folder, start.parentStep, experiment, ranks);  // throws when the checkpoint is not for this experiment
    start.ranks = ranks;
    contract::writeAttempt(folder, start, experiment);
}

}  // namespace

void editQueued(const DataHome& home, const std::string& run, const contract::Experiment& before, const contract::Experiment& after)
{
    const contract::RunFolder folder(home.runs() / run);
    const QueueEntry was = entryFor(folder, 0, before), is = entryFor(folder, 0, after);
    editQueue(home, [&](Queue& queue) {
        QueueEntry& entry = entryToEdit(queue, folder);
        // The scheduler takes the start lock while it holds the queue's, so it does not meet this one.
        const PreparedRun prepared = takePrepared(folder, entry.attempt);
        if (contract::experimentOf(folder, entry.attempt) != before)
            throw std::runtime_error("run " + run + " was changed in the queue meanwhile, by another window or command; begin the edit again");
        checkThatStepsAreLeft(folder, folder.readStart(entry.attempt).parentStep, before, after);
        writeExperiment(folder, entry.attempt, after);
        writeEstimate(folder, entry.attempt, estimateFor(home, after));
        if (is.gpus != was.gpus)
            entry.gpus = is.gpus;
        if (is.chosen != was.chosen)
            entry.chosen = is.chosen;
        if (is.isUrgent != was.isUrgent)
            entry.isUrgent = is.isUrgent;
        entry.isHeld = entry.isHeld && entry.problem.empty();
        entry.problem.clear();
    });
}

}  // namespace launcher
