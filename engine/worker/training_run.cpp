#include "engine/worker/training_run.h"

#include "engine/comm/errors.h"
#include "engine/contract/experiment/host_replicas.h"
#include "engine/contract/run/emoji_files.h"
#include "engine/models/trainable.h"
#include "engine/nn/attention/measured_attention.h"
#include "engine/shard/weight_copies.h"
#include "engine/tasks/engine_options.h"
#include "engine/worker/log.h"
#include "engine/worker/memory_advice.h"
#include "engine/worker/run_setup.h"
#include "engine/worker/signals.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace engine {
namespace metric = contract::metric;

TrainingRun::TrainingRun(
    const contract::RunFolder& folder, int attempt, const RankIdentity& identity)
    : m_folder(folder)
    , m_attempt(attempt)
    , m_identity(identity)
    , m_start(folder.readStart(attempt))
    , m_experiment(loadResolved(folder, attempt))
    , m_journal(folder, attempt, identity.rank)
    , m_commands(folder.control(), m_start.controlOffset)
{
    m_journal.setPulsePause(std::chrono::milliseconds(std::min<std::int64_t>(20'000, m_experiment.integer("launch.stall_after") * 1000 / 3)));
    m_journal.phase("waits for the other ranks");
}

void TrainingRun::takeSupervisorDuties()
{
    m_duties.emplace(m_folder, m_attempt, m_identity.rank, m_identity.worldSize, m_experiment);
    m_journal.setOnNumber([this](std::int64_t step, std::string_view metric, double value) { m_duties->take(step, metric, value); });
}

void TrainingRun::execute(Rendezvous rendezvous, bool hasForecast)
{
    m_compute = chooseCompute(m_experiment, m_identity, rendezvous);
    m_memory = MemoryMeter(m_compute.accelerator);
    m_journal.setHasGpu(m_compute.accelerator != nullptr);
    m_profile.emplace(contract::parseStepRange(m_experiment.text("run.profile_steps")), m_folder.root(), m_attempt,
        m_identity.rank, m_compute.accelerator != nullptr);
    if (!m_compute.notice.empty())
        m_journal.warn(m_compute.notice);
    m_mesh = joinMesh(m_experiment, m_identity, rendezvous, m_compute.accelerator);
    m_journal.phase("loads data");
    m_hasForecast = isFirstRank() && hasForecast;
    m_taskContext.emplace(TaskContext {*m_mesh, m_compute.device, m_folder.root(), contract::sharedCache(m_folder.root()),
        [this](const std::string& what) { m_isTraining ? m_journal.activity(what) : m_journal.phase(what); },
        [this](const std::string& what) {
            if (isFirstRank())
                m_journal.warn(what);
        },
        [this] { return isStopAgreed(); },
        [this](const RoundSample& sample, const std::string& prompt, const at::Tensor& frames) { m_evaluation->keep(sample, prompt, frames); },
        [this] { m_offload->setUse(Offload::Use::None); }});
    const std::optional<std::string> origin = this->origin();
    if (!origin)
        return end("stopped", "stopped before the base model was trained");
    m_origin = *origin;
    m_task = makeTask(m_experiment, *m_taskContext);
    buildUnits();
    restore();
    train();
}

void TrainingRun::buildUnits()
{
    m_journal.phase("builds the model");
    reportMemory("before the model");
    m_memory.releaseFreed();  // what encoding the data has left would come on top of training
    auto specs = m_task->units();
    selectTrainable(specs, m_experiment.text("model.trainable"));
    reportModel(specs);
    m_pool = std::make_unique<BufferPool>(m_mesh->shard(), m_compute.device);
    if (m_experiment.text("engine.offload") == "shards" && !m_compute.device.is_cpu())
        m_copies.emplace(m_compute.device);
    requireKnownUnits(m_experiment, specs);
    UnitOptions options = unitOptions(m_experiment, *m_mesh, m_copies ? &*m_copies : nullptr);
    options.storesFrozen = !m_task->loadsFrozenWeights();
    options.trainedDtype = m_task->trainedDtype();
    SequenceOptions sequence = sequenceOptions(m_experiment);
    sequence.onEvaluated = [this] { m_journal.pulse(); };
    m_units = std::make_unique<UnitSequence>(
        std::move(specs), m_mesh->shard(), *m_pool, options, std::move(sequence), weightSeed());
    reportMemory("with the shards");
    m_task->begin(*m_units);
    if (weightSeed() || m_task->loadsFrozenWeights())
        m_task->loadWeights();
    startCopies(*m_units);
    m_trainer = std::make_unique<Trainer>(m_experiment, *m_units, *m_mesh, m_compute.device);
    m_offload.emplace(*m_units, m_compute.accelerator, m_experiment);
    m_evaluation.emplace(RunEvaluation::Parts {m_experiment, m_folder, m_attempt, isFirstRank(), *m_task, *m_offload, m_journal, m_memory,
        m_compute.accelerator});
    m_memory.releaseMappedFiles();
    reportMemory("with the optimizer");
    m_offload->setUse(Offload::Use::None);
}

std::map<std::string, std::string> TrainingRun::stateOptions() const
{
    auto options = m_task->stateOptions();
    options["optim.kind"] = m_experiment.text("optim.kind");
    return options;
}

void TrainingRun::pollRequests()
{
    const Requests signals = takeSignalRequests();
    m_requests.stop |= signals.stop;
    m_requests.stopNow |= signals.stopNow;
    m_requests.checkpoint |= signals.checkpoint;
    if (!isFirstRank())
        return;
    if (m_plan && m_plan->hasEnded())
        m_plan.reset();
    if (m_duties) {
        for (const contract::Command command : m_duties->act())
            request(command);
    }
    for (const contract::Command command : m_commands.poll())
        request(command);
}

void TrainingRun::request(contract::Command command)
{
    m_requests.stop |= command == contract::Command::Stop;
    m_requests.checkpoint |= command == contract::Command::Checkpoint;
    m_requests.sample |= command == contract::Command::Sample;
}

bool TrainingRun::isStopAgreed()
{
    pollRequests();
    at::Tensor asked = at::tensor({m_requests.stop ? 1.0 : 0.0, m_requests.stopNow ? 1.0 : 0.0, m_requests.checkpoint ? 1.0 : 0.0})
                           .to(m_compute.device);
    m_mesh->world().allReduceSum(asked, "requests");
    asked = asked.cpu();
    if (m_checkpoints) {
        // The weights stay what they are until the round's first update.
        if (asked[2].item<double>() > 0)
            checkpoint();
        m_requests.checkpoint = false;
        journalSaves(m_checkpoints->poll());
    }
    m_requests.stopNow = asked[1].item<double>() > 0;
    return m_requests.stopNow || asked[0].item<double>() > 0;
}

void TrainingRun::train()
{
    if (step() == 0)
        keep(m_evaluation->judgeBase());
    m_journal.phase("trains");
    m_isTraining = true;
    const std::int64_t total = m_experiment.integer("run.total_steps");
    while (m_trainer->progress().step < total) {
        if (m_task->isRoundDue() && !startRound()) {
            if (m_requests.stopNow)
                return end("stopped", "stopped now");
            writeLastCheckpoint();
            return end("stopped", "");
        }
        const StepReport report = trainStep();
        journalStep(report);
        journalSaves(m_checkpoints->poll());
        if (report.agreed.stopNow)
            return end("stopped", "stopped now");
        afterStep(report.agreed);
        if (isStopping(report.agreed)) {
            writeLastCheckpoint();
            return end("stopped", m_task->stopReason());
        }
    }
    reportMemory("after training");
    m_journal.phase("finishes");
    writeLastCheckpoint();
    evaluateResult();
    end("finished", "");
}

void TrainingRun::evaluateResult()
{
    if (m_evaluation->sampledStep() != step())
        m_evaluation->sample(step());
    keep(m_evaluation->judge());
}

bool TrainingRun::startRound()
{
    m_offload->setUse(Offload::Use::Evaluation);
    const std::optional<NamedNumbers> numbers = m_task->startRound(step());
    if (!numbers) {
        m_offload->setUse(Offload::Use::None);
        return false;
    }
    if (isFirstRank() && !numbers->empty())
        m_journal.metrics(*numbers);
    keep(*numbers);
    return true;
}

void TrainingRun::keep(const NamedNumbers& numbers)
{
    for (const auto& [name, value] : numbers)
        m_lastMetrics[name] = value;
}

StepReport TrainingRun::trainStep()
{
    const std::int64_t next = step() + 1;
    m_profile->begin(next);
    m_offload->setUse(Offload::Use::Training);
    pollRequests();
    const StepReport report = m_trainer->step(m_task->steps(), m_task->loss(), std::exchange(m_requests, {}));
    for (const std::string& choice : takeMeasuredAttention())
        logInfo(choice);
    try {
        if (const std::string file = m_profile->end(next); !file.empty())
            m_journal.profile(file);
    } catch (const std::exception& error) {
        m_journal.warn("profile not written: " + firstLine(error));
    }
    return report;
}

std::string TrainingRun::memoryAdvice() const
{
    const int ranks = m_identity.worldSize;
    return engine::memoryAdvice(contract::withHostReplicas(m_experiment, ranks, m_identity.localWorldSize), ranks);
}

void TrainingRun::reportModel(const std::vector<UnitSpec>& units)
{
    const contract::MeshShape& shape = m_mesh->shape();
    if (const std::string notice = attentionNotice(m_experiment, m_compute.device); !notice.empty() && isFirstRank())
        m_journal.warn(notice);
    if (isFirstRank())
        logInfo(sizeSummary(units) + ", " + std::to_string(shape.shard) + " shards, " + std::to_string(shape.replicas())
            + " replicas, sequences over " + std::to_string(shape.sequence()) + " ranks");
}

void TrainingRun::reportFailure(const std::string& cause)
{
    m_journal.failure(cause);
    reportMemory("at the failure");
    if (m_duties) {
        m_duties->notifyEnd("failed", cause, step());
        m_duties->wait();
    }
}

void TrainingRun::reportMemory(const std::string& when)
{
    logInfo("memory " + when + ": " + describe(m_memory.read(), m_compute.accelerator != nullptr));
}

bool TrainingRun::isDue(const char* key) const
{
    const std::int64_t every = m_experiment.integer(key);
    return every > 0 && step() % every == 0;
}

/// See [Note: kept forecasts].
void TrainingRun::forecastInTime()
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_firstStepEnd)
        m_firstStepEnd = now;
    if (now - *m_firstStepEnd < std::chrono::seconds(10))
        return;
    m_plan.emplace(m_folder, m_attempt, m_compute.accelerator != nullptr);
    m_hasForecast = false;
}

void TrainingRun::afterStep(const Requests& agreed)
{
    if (m_hasForecast)
        forecastInTime();
    if (isDue("validation.every"))
        keep(m_evaluation->validate());
    const bool isLast = isStopping(agreed) || step() == m_experiment.integer("run.total_steps");
    if (isLast || isDue("checkpoint.every") || agreed.checkpoint)
        checkpoint();
    if (!isDue("sample.every") && !agreed.sample)
        return;
    // Sampling may fail for want of memory or for a damaged autoencoder. The checkpoint is on the disk before that: always after
    // the last step, and otherwise the first time, because what succeeded once in an attempt is likely to succeed again.
    if (isLast || m_evaluation->sampledStep() < 0)
        finishCheckpoints();
    m_evaluation->sample(step());
}

void TrainingRun::journalStep(const StepReport& report)
{
    const bool isFirst = !std::exchange(m_hasPace, true);
    if (isFirst)
        m_journal.pace(step() - 1, m_trainer->progress().samplesSeen - report.samples, report.samples, m_task->stepsPerEpoch());
    m_journal.setStep(step());
    m_journal.step(report, m_trainer->progress().skippedSteps, m_memory.read(),
        trainingThroughput(report.forwardFlops, report.times.step / 1000, m_mesh->shape().world, m_compute.peakTeraflops));
    if (isFirst)
        m_memory.releaseFreed();  // the values of the next pass are in one piece of memory, and those of this were in several
    const NamedNumbers numbers = m_task->takeMetrics();
    if (isFirstRank() && !numbers.empty())
        m_journal.metrics(numbers);
    m_lastMetrics[metric::kLoss] = report.loss;
    m_lastMetrics[metric::kGradNorm] = report.gradNorm;
}

void TrainingRun::end(const char* outcome, const std::string& cause)
{
    finishCheckpoints();
    // There is no trainer yet where the run ends while its base model is trained.
    if (const std::int64_t skipped = m_trainer ? m_trainer->progress().skippedSteps : 0; skipped > 0 && isFirstRank())
        m_journal.warn(std::to_string(skipped) + " of " + std::to_string(step()) + " steps "
            + (skipped == 1 ? "was" : "were") + " skipped, because the gradient norm was not finite");
    if (m_duties)
        m_duties->act();  // for the records
    const bool hasRule = m_duties && cause.empty() && std::string_view(outcome) == "stopped";
    const std::string why = hasRule ? m_duties->stopCause() : cause;
    m_journal.end(outcome, why);
    if (m_duties)
        m_duties->notifyEnd(outcome, why, step());
    m_mesh->world().barrier("at the end");
}

}  // namespace engine
