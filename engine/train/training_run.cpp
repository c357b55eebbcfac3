#include "engine/train/training_run.h"

#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/rotation.h"
#include "engine/comm/errors.h"
#include "engine/contract/emoji_files.h"
#include "engine/model/trainable.h"
#include "engine/train/log.h"
#include "engine/train/memory.h"
#include "engine/train/memory_advice.h"
#include "engine/train/run_setup.h"

#include <cmath>

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
}

void TrainingRun::execute()
{
    m_compute = chooseCompute(m_experiment, m_identity);
    m_journal.setHasGpu(m_compute.accelerator != nullptr);
    m_profile.emplace(contract::parseStepRange(m_experiment.text("run.profile_steps")), m_folder.root(),
        m_identity.rank, m_compute.accelerator != nullptr);
    m_journal.phase("waits for the other ranks");
    m_mesh = joinMesh(m_experiment, m_identity, m_compute.accelerator);
    m_journal.phase("loads data");
    m_place.emplace(TaskPlace {*m_mesh, m_compute.device, m_folder.root(), contract::sharedCache(m_folder.root()),
        [this](const std::string& what) { m_journal.phase(what); },
        [this](const std::string& what) {
            if (isFirstRank())
                m_journal.warn(what);
        }});
    m_task = makeTask(m_experiment, *m_place);
    buildUnits();
    restore();
    train();
}

void TrainingRun::buildUnits()
{
    m_journal.phase("builds the model");
    reportMemory("before the model");
    auto specs = m_task->units();
    selectTrainable(specs, m_experiment.text("model.trainable"));
    reportModel(specs);
    m_pool = std::make_unique<BufferPool>(m_mesh->shard(), m_compute.device);
    if (m_experiment.text("engine.offload") == "shards" && !m_compute.device.is_cpu())
        m_copies.emplace(m_compute.device);
    requireKnownUnits(m_experiment, specs);
    UnitOptions options = unitOptions(m_experiment, *m_mesh, m_copies ? &*m_copies : nullptr);
    options.storesFrozen = !m_task->bringsFrozen();
    options.trainedDtype = m_task->trainedDtype();
    m_units = std::make_unique<UnitSequence>(
        std::move(specs), m_mesh->shard(), *m_pool, options, sequenceOptions(m_experiment), weightSeed());
    reportMemory("with the shards");
    m_task->begin(*m_units);
    if (weightSeed() || m_task->bringsFrozen())
        m_task->loadWeights();
    m_trainer = std::make_unique<Trainer>(m_experiment, *m_units, *m_mesh, m_compute.device);
    m_residency.emplace(*m_units, m_compute.accelerator, m_experiment);
    reportMemory("with the optimizer");
}

std::map<std::string, std::string> TrainingRun::stateOptions() const
{
    auto options = m_task->stateOptions();
    options["optim.kind"] = m_experiment.text("optim.kind");
    return options;
}

void TrainingRun::restore()
{
    if (isFirstRank())
        removeUnfinishedCheckpoints(m_folder);
    if (!m_start.parentCheckpoint.empty())
        resume();
    else if (const std::string& origin = m_experiment.text("checkpoint.init_from"); !origin.empty())
        beginFrom(origin);
    // Not before: its memory is as large as the shards that are being loaded.
    m_checkpoints = std::make_unique<CheckpointWriter>(m_folder, *m_units, *m_mesh,
        contentsOf(m_experiment.text("checkpoint.save")), rotationOf(m_experiment));
}

std::optional<std::uint64_t> TrainingRun::weightSeed() const
{
    const bool isLoading = !m_start.parentCheckpoint.empty() || !m_experiment.text("checkpoint.init_from").empty();
    if (isLoading && m_experiment.boolean("checkpoint.strict"))
        return std::nullopt;
    return static_cast<std::uint64_t>(m_experiment.integer("run.seed"));
}

void TrainingRun::resume()
{
    m_journal.phase("loads " + m_start.parentCheckpoint);
    const Contents contents = contentsOf(m_experiment.text("checkpoint.load"));
    auto [manifest, report] = loadCheckpoint(m_folder.root() / m_start.parentCheckpoint, *m_units, *m_mesh,
        contents == Contents::All ? stateOptions() : m_task->stateOptions(),
        {contents, m_experiment.boolean("checkpoint.strict")});
    if (isFirstRank())
        m_journal.loaded(report);
    if (manifest.state.emplace("samples_seen", "0").second)
        m_journal.warn("the checkpoint does not say how far the data were read: they begin anew");
    m_trainer->restore(manifest.state);
    m_lastMetrics = manifest.metrics;
    m_savedStep = step();
    m_journal.setStep(step());
    m_journal.note("continues from step " + std::to_string(step()));
}

void TrainingRun::beginFrom(const std::string& checkpoint)
{
    m_journal.phase("loads weights");
    // The picker of files gives the manifest's name.
    std::filesystem::path folder(checkpoint);
    if (folder.filename() == contract::kManifestFile)
        folder = folder.parent_path();
    const auto loaded = loadCheckpoint(folder, *m_units, *m_mesh, m_task->stateOptions(),
        {Contents::Weights, m_experiment.boolean("checkpoint.strict")});
    if (isFirstRank())
        m_journal.loaded(loaded.report);
    m_journal.note("begins with the weights of " + folder.string());
}

Requests TrainingRun::pollRequests()
{
    Requests requests = takeSignalRequests();
    if (!isFirstRank())
        return requests;
    for (const contract::Command command : m_commands.poll()) {
        requests.stop |= command == contract::Command::Stop;
        requests.checkpoint |= command == contract::Command::Checkpoint;
        requests.sample |= command == contract::Command::Sample;
    }
    return requests;
}

void TrainingRun::train()
{
    m_journal.phase("trains");
    m_isTraining = true;
    const std::int64_t total = m_experiment.integer("run.total_steps");
    while (m_trainer->progress().step < total) {
        const StepReport report = trainStep();
        journalStep(report);
        tellOf(m_checkpoints->poll());
        if (report.agreed.stopNow)
            return end("stopped", "stopped now");
        afterStep(report);
        if (report.agreed.stop) {
            checkpoint();
            return end("stopped", "");
        }
    }
    m_isTraining = false;
    reportMemory("after training");
    m_journal.phase("finishes");
    if (m_sampledStep != step())
        sample();
    judge();
    if (m_savedStep != step())
        checkpoint();
    end("finished", "");
}

StepReport TrainingRun::trainStep()
{
    const std::int64_t next = step() + 1;
    m_profile->begin(next);
    m_residency->setUse(Residency::Use::Training);
    const StepReport report = m_trainer->step(m_task->steps(), m_task->loss(), pollRequests());
    try {
        if (const std::string file = m_profile->end(next); !file.empty())
            m_journal.profile(file);
    } catch (const std::exception& error) {
        m_journal.warn("profile not written: " + firstLine(error));
    }
    return report;
}

std::string TrainingRun::moment() const { return m_isTraining ? " at step " + std::to_string(step() + 1) : ""; }

std::string TrainingRun::memoryAdvice() const { return engine::memoryAdvice(m_experiment, m_identity.worldSize); }

void TrainingRun::reportModel(const std::vector<UnitSpec>& units)
{
    const contract::MeshShape& shape = m_mesh->shape();
    if (const std::string notice = attentionNotice(m_experiment, m_compute.device); !notice.empty() && isFirstRank())
        m_journal.warn(notice);
    if (isFirstRank())
        logInfo(sizeOf(units) + ", " + std::to_string(shape.shard) + " shards, " + std::to_string(shape.replicas())
            + " replicas, sequences over " + std::to_string(shape.sequence()) + " ranks");
}

void TrainingRun::reportFailure(const std::string& cause)
{
    m_journal.failure(cause);
    reportMemory("at the failure");
}

void TrainingRun::reportMemory(const std::string& when)
{
    logInfo("memory " + when + ": " + describe(readMemory(m_compute.accelerator), m_compute.accelerator != nullptr));
}

bool TrainingRun::isDue(const char* key) const
{
    const std::int64_t every = m_experiment.integer(key);
    return every > 0 && step() % every == 0;
}

void TrainingRun::afterStep(const StepReport& report)
{
    if (isDue("validation.every"))
        validate();
    if (isDue("sample.every") || report.agreed.sample)
        sample();
    if (isDue("checkpoint.every") || report.agreed.checkpoint)
        checkpoint();
}

void TrainingRun::journalStep(const StepReport& report)
{
    m_journal.setStep(step());
    m_journal.step(report, m_trainer->progress().skippedSteps, readMemory(m_compute.accelerator),
        trainingThroughput(m_task->model().forwardFlops(), report.samples, report.times.step / 1000, m_mesh->shape().world,
            m_compute.peakTeraflops));
    m_lastMetrics[metric::kLoss] = report.loss;
    m_lastMetrics[metric::kGradNorm] = report.gradNorm;
}

void TrainingRun::validate()
{
    m_residency->setUse(Residency::Use::Evaluation);
    const double loss = m_task->validationLoss(shownWeights(m_experiment));
    if (!isFirstRank() || std::isnan(loss))
        return;
    m_lastMetrics[metric::kValidationLoss] = loss;
    m_journal.metrics({{metric::kValidationLoss, loss}});
}

void TrainingRun::sample()
{
    m_sampledStep = step();
    m_residency->setUse(Residency::Use::Evaluation);
    const at::Tensor images = m_task->samples(shownWeights(m_experiment));
    if (m_compute.accelerator)
        m_compute.accelerator->emptyCache();  // training's passes need blocks of other sizes
    if (!isFirstRank())
        return;
    const SamplerOptions options = samplerOptions(m_experiment);
    const auto seed = static_cast<std::uint64_t>(m_experiment.integer("run.seed"));
    try {
        const std::string file = m_task->writeSamples(m_folder.root(), images, step());
        m_journal.sample(file, m_task->samplePrompt(), seed, options, shownWeights(m_experiment) == Weights::Ema ? "ema" : "model");
    } catch (const std::exception& error) {
        m_journal.warn("samples not written: " + std::string(error.what()));
    }
}

void TrainingRun::judge()
{
    m_residency->setUse(Residency::Use::Evaluation);
    const auto verdict = m_task->judge(shownWeights(m_experiment), isFirstRank());
    if (!verdict)
        return;
    for (const auto& [name, value] : verdict->metrics)
        m_lastMetrics[name] = value;
    m_journal.metrics(verdict->metrics);
    logInfo(verdict->sentence);
}

void TrainingRun::checkpoint()
{
    contract::CheckpointManifest manifest;
    manifest.run = m_folder.id();
    manifest.attempt = m_attempt;
    manifest.step = step();
    manifest.worldSize = m_mesh->shard().size();
    manifest.model = m_experiment.text("model.name");
    manifest.modelOptions = stateOptions();
    manifest.metrics = m_lastMetrics;
    manifest.state = m_trainer->toState();
    m_checkpoints->save(std::move(manifest));
    m_savedStep = step();
}

void TrainingRun::tellOf(const std::vector<SaveResult>& saves)
{
    for (const SaveResult& save : saves)
        m_journal.saved(save);
}

void TrainingRun::end(const char* outcome, const std::string& cause)
{
    tellOf(m_checkpoints->finish());
    m_journal.end(outcome, cause);
    m_mesh->world().barrier("at the end");
}

}  // namespace engine
