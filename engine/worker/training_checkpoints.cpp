// How TrainingRun writes its checkpoints.
#include "engine/comm/errors.h"
#include "engine/tasks/engine_options.h"
#include "engine/worker/training_run.h"

#include <ATen/ops/tensor.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace engine {
namespace {

using Clock = std::chrono::steady_clock;

// How often a last checkpoint that could not be written is tried again, and for how long.
constexpr std::chrono::seconds kPause {10};
constexpr std::chrono::minutes kPatience {10};

}  // namespace

void TrainingRun::checkpoint()
{
    if (m_savedStep == step())
        return;
    const RunJournal::During during(m_journal, "waits for a checkpoint to be written");
    contract::CheckpointManifest manifest;
    manifest.run = m_folder.id();
    manifest.attempt = m_attempt;
    manifest.step = step();
    manifest.worldSize = m_mesh->shard().size();
    manifest.model = m_experiment.text("model.name");
    manifest.modelOptions = stateOptions();
    manifest.metrics = m_lastMetrics;
    manifest.state = m_trainer->toState();
    manifest.state.merge(m_task->toState());
    const bool isWhole = contentsOf(m_experiment.text("checkpoint.save")) == Contents::All;
    m_checkpoints->save(std::move(manifest), isWhole ? m_task->toData() : RankData());
    m_savedStep = step();
}

void TrainingRun::writeLastCheckpoint()
{
    m_isTraining = false;
    checkpoint();
    finishCheckpoints();
    const Clock::time_point start = Clock::now();
    Clock::time_point nextTry = start + kPause;
    bool hasWaited = false;
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
        pollRequests();
        const bool isFailed = isFirstRank() && !m_saveProblem.empty();
        const bool isGivenUp = m_requests.stopNow || (isFirstRank() && Clock::now() > start + kPatience);
        const bool isTryDue = m_requests.checkpoint || (isFirstRank() && Clock::now() > nextTry);
        at::Tensor agreed = at::tensor({isFailed ? 1.0 : 0.0, isGivenUp ? 1.0 : 0.0, isTryDue ? 1.0 : 0.0}).to(m_compute.device);
        m_mesh->world().allReduceSum(agreed, "the last checkpoint");
        agreed = agreed.cpu();
        if (agreed[0].item<double>() == 0)
            break;
        if (agreed[1].item<double>() > 0)
            throw EngineError(isFirstRank() ? EngineError::Kind::Failure : EngineError::Kind::LostPeer,
                "the checkpoint of step " + std::to_string(step()) + ", the last one, could not be written: "
                    + (isFirstRank() ? m_saveProblem : std::string("rank 0 says why")));
        if (!std::exchange(hasWaited, true) && isFirstRank())
            m_journal.warn("the run waits up to ten minutes for its last checkpoint to be written, and tries it every ten seconds");
        if (agreed[2].item<double>() == 0)
            continue;
        m_requests.checkpoint = false;
        m_journal.activity("tries again to write the last checkpoint");
        m_savedStep = -1;
        checkpoint();
        finishCheckpoints();
        nextTry = Clock::now() + kPause;
    }
    if (hasWaited)
        m_journal.phase("finishes");
}

void TrainingRun::finishCheckpoints()
{
    const RunJournal::During during(m_journal, "waits for a checkpoint to be written");
    if (m_checkpoints)
        journalSaves(m_checkpoints->finish());
}

void TrainingRun::journalSaves(const std::vector<SaveResult>& saves)
{
    for (const SaveResult& save : saves) {
        m_saveProblem = save.problem;
        const bool isTriedAgain = !save.problem.empty() && std::exchange(m_failedStep, save.step) == save.step;
        if (!isTriedAgain)
            m_journal.saved(save);
    }
}

}  // namespace engine
