#include "engine/train/training_run.h"

#include "engine/algorithm/digit_judge.h"
#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/rotation.h"
#include "engine/comm/errors.h"
#include "engine/comm/rendezvous.h"
#include "engine/contract/text.h"
#include "engine/model/registry.h"
#include "engine/train/log.h"
#include "engine/train/memory.h"
#include "engine/train/memory_advice.h"
#include "engine/train/sample_writer.h"
#include "engine/train/validation.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/tensor.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace engine {
namespace {

namespace metric = contract::metric;

contract::Experiment loadResolved(const contract::RunFolder& folder, int attempt)
{
    auto parsed = contract::loadExperiment(folder.config(attempt));
    if (!parsed.problems.empty())
        throw EngineError(EngineError::Kind::WrongUsage,
            folder.config(attempt).string() + ": " + parsed.problems.front().message);
    const auto problems = parsed.experiment.validate();
    if (!problems.empty())
        throw EngineError(EngineError::Kind::WrongUsage, problems.front().message);
    return parsed.experiment;
}

at::ScalarType dtypeOf(const std::string& name)
{
    return name == "bf16" ? at::kBFloat16 : name == "fp16" ? at::kHalf : at::kFloat;
}

Exchange exchangeOf(const std::string& name)
{
    return name == "shared" ? Exchange::SharedMemory : name == "gloo" ? Exchange::Gloo : Exchange::Automatic;
}

/// Before CUDA starts, which reads these once. An operator that has no deterministic form warns.
void makeDeterministic()
{
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8", 1);
    ::setenv("NCCL_ALGO", "Ring", 1);
    ::setenv("NCCL_PROTO", "Simple", 1);
    at::globalContext().setDeterministicAlgorithms(true, true);
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
}

SamplerOptions samplerOptions(const contract::Experiment& experiment)
{
    return {experiment.integer("sample.steps"), experiment.real("sample.guidance")};
}

Contents contentsOf(const std::string& name) { return name == "weights" ? Contents::Weights : Contents::All; }

RotationPolicy rotationOf(const contract::Experiment& experiment)
{
    constexpr double kBytesPerGb = 1e9;
    return {.keep = experiment.integer("checkpoint.keep"),
        .keepEvery = experiment.integer("checkpoint.keep_every"),
        .keepBest = experiment.integer("checkpoint.keep_best"),
        .bestMetric = experiment.text("checkpoint.best_metric"),
        .isLowerBest = experiment.text("checkpoint.best_is") == "lowest",
        .mostBytes = static_cast<std::uint64_t>(experiment.real("checkpoint.max_gb") * kBytesPerGb)};
}

}  // namespace

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
    chooseDeviceAndThreads();
    join();
    loadData();
    buildModel();
    restore();
    train();
}

void TrainingRun::chooseDeviceAndThreads()
{
    if (m_experiment.boolean("run.deterministic"))
        makeDeterministic();
    const auto type
        = chooseDevice(m_experiment.text("run.device"), m_identity.localWorldSize);
    if (type == c10::DeviceType::CUDA) {
        m_accelerator = &loadAccelerator();
        m_accelerator->setDevice(m_identity.localRank);
        m_journal.setHasGpu(true);
        m_device = c10::Device(type, static_cast<c10::DeviceIndex>(m_identity.localRank));
    }
    auto threads = static_cast<int>(m_experiment.integer("run.threads"));
    if (threads == 0)
        threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency())
                / m_identity.localWorldSize);
    at::set_num_threads(threads);
    m_peakTeraflops = m_experiment.real("run.peak_tflops");
    if (m_peakTeraflops == 0 && m_accelerator)
        m_peakTeraflops
            = engine::peakTeraflops(m_accelerator->deviceName(), m_experiment.text("engine.compute_dtype"));
    m_profile.emplace(contract::parseStepRange(m_experiment.text("run.profile_steps")), m_folder.root(),
        m_identity.rank, m_accelerator != nullptr);
}

void TrainingRun::join()
{
    m_journal.phase("waits for the other ranks");
    std::optional<contract::Problem> problem;
    const auto shape = contract::meshShape(m_experiment, m_identity.worldSize, problem);
    if (problem)
        throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    m_mesh = joinRanks(m_identity, shape, m_accelerator,
        {exchangeOf(m_experiment.text("engine.exchange")),
            std::chrono::seconds(m_experiment.integer("launch.timeout"))});
}

void TrainingRun::loadData()
{
    m_journal.phase("loads data");
    m_data = loadDigits(m_experiment.text("data.path"),
        m_experiment.real("data.validation_fraction"),
        static_cast<std::uint64_t>(m_experiment.integer("run.seed")));
}

void TrainingRun::buildModel()
{
    m_journal.phase("builds the model");
    const at::Tensor& images = m_data.training.images;
    m_model = engine::buildModel(
        m_experiment, {images.size(2), images.size(1), m_data.training.classes},
        {&m_mesh->ring(), &m_mesh->ulysses()});
    m_pool = std::make_unique<BufferPool>(m_mesh->shard(), m_device);
    m_units = std::make_unique<UnitSequence>(m_model->units(), m_mesh->shard(), *m_pool,
        UnitOptions {dtypeOf(m_experiment.text("engine.compute_dtype")),
            dtypeOf(m_experiment.text("engine.reduce_dtype")), m_experiment.real("ema.decay") > 0,
            stateBlockOf(m_experiment), m_mesh->shape().replicas() > 1 ? &m_mesh->replicate() : nullptr,
            m_mesh->shape().reshard > 0 ? &m_mesh->reshard() : nullptr},
        SequenceOptions {m_experiment.boolean("engine.reshard_after_forward"),
            m_experiment.boolean("engine.prefetch"), m_experiment.boolean("engine.reduce_each_pass"),
            m_experiment.integer("engine.recompute_every")},
        static_cast<std::uint64_t>(m_experiment.integer("run.seed")));
    m_batches = std::make_unique<LabelledBatches>(m_data.training, m_experiment.integer("batch.micro"),
        m_experiment.real("model.label_dropout"), m_model->nullLabel(),
        static_cast<std::uint64_t>(m_experiment.integer("run.seed")));
    m_trainer = std::make_unique<Trainer>(
        m_experiment, *m_model, *m_units, *m_mesh, *m_batches, m_device);
    m_checkpoints = std::make_unique<CheckpointWriter>(m_folder, *m_units, *m_mesh,
        contentsOf(m_experiment.text("checkpoint.save")), rotationOf(m_experiment));
    reportModel();
    reportMemory("with the model");
}

std::map<std::string, std::string> TrainingRun::stateOptions() const
{
    auto options = m_model->shapeOptions();
    options["optim.kind"] = m_experiment.text("optim.kind");
    return options;
}

Weights TrainingRun::evaluationWeights() const
{
    return m_experiment.real("ema.decay") > 0 && m_experiment.boolean("ema.use") ? Weights::Ema : Weights::Master;
}

void TrainingRun::restore()
{
    if (isFirstRank())
        removeUnfinishedCheckpoints(m_folder);
    if (!m_start.parentCheckpoint.empty())
        resume();
    else if (const std::string& origin = m_experiment.text("checkpoint.init_from"); !origin.empty())
        beginFrom(origin);
}

void TrainingRun::resume()
{
    m_journal.phase("loads " + m_start.parentCheckpoint);
    const Contents contents = contentsOf(m_experiment.text("checkpoint.load"));
    auto [manifest, report] = loadCheckpoint(m_folder.root() / m_start.parentCheckpoint, *m_units, *m_mesh,
        contents == Contents::All ? stateOptions() : m_model->shapeOptions(),
        {contents, m_experiment.boolean("checkpoint.strict")});
    tellOf(report);
    if (manifest.state.emplace("samples_seen", "0").second)
        m_journal.event("warning", contract::event::kNotice,
            "the checkpoint does not say how far the data were read: they begin anew");
    m_trainer->restore(manifest.state);
    m_lastMetrics = manifest.metrics;
    m_savedStep = step();
    m_journal.setStep(step());
    m_journal.event("info", contract::event::kNotice,
        "continues from step " + std::to_string(step()));
}

void TrainingRun::beginFrom(const std::string& checkpoint)
{
    m_journal.phase("loads weights");
    // The picker of files gives the manifest's name.
    std::filesystem::path folder(checkpoint);
    if (folder.filename() == contract::kManifestFile)
        folder = folder.parent_path();
    const auto loaded = loadCheckpoint(folder, *m_units, *m_mesh, m_model->shapeOptions(),
        {Contents::Weights, m_experiment.boolean("checkpoint.strict")});
    tellOf(loaded.report);
    m_journal.event("info", contract::event::kNotice, "begins with the weights of " + folder.string());
}

void TrainingRun::tellOf(const LoadReport& report)
{
    if (!isFirstRank())
        return;
    if (!report.isWhole())
        m_journal.event("warning", contract::event::kNotice, "the checkpoint " + report.sentence());
    for (const std::string& kind : report.absentKinds)
        m_journal.event("warning", contract::event::kNotice,
            "the checkpoint holds no " + kind + ": " + (kind == "ema" ? "it begins as the weights" : "it begins at zero"));
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
    const StepReport report = m_trainer->step(pollRequests());
    try {
        if (const std::string file = m_profile->end(next); !file.empty())
            m_journal.event("info", contract::event::kProfile, file);
    } catch (const std::exception& error) {
        m_journal.event("warning", contract::event::kNotice, "profile not written: " + firstLine(error));
    }
    return report;
}

std::string TrainingRun::moment() const { return m_isTraining ? " at step " + std::to_string(step() + 1) : ""; }

std::string TrainingRun::memoryAdvice() const { return engine::memoryAdvice(m_experiment, m_identity.worldSize); }

void TrainingRun::reportModel()
{
    std::int64_t parameters = 0;
    for (std::size_t i = 0; i < m_units->size(); ++i)
        parameters += (*m_units)[i].parameterCount();
    const contract::MeshShape& shape = m_mesh->shape();
    logInfo(std::to_string(parameters) + " parameters in " + std::to_string(m_units->size()) + " units, "
        + std::to_string(shape.shard) + " shards, " + std::to_string(shape.replicas()) + " replicas, sequences over "
        + std::to_string(shape.sequence()) + " ranks");
}

void TrainingRun::reportMemory(const std::string& when)
{
    const MemoryReading memory = readMemory(m_accelerator);
    const auto gigabytes = [](std::int64_t bytes) {
        char text[32];
        std::snprintf(text, sizeof text, "%.2f GB", static_cast<double>(bytes) / 1e9);
        return std::string(text);
    };
    logInfo("memory " + when + ": " + gigabytes(memory.allocatedBytes) + " allocated, "
        + (m_accelerator ? gigabytes(memory.reservedBytes) + " reserved, " + gigabytes(memory.driverUsedBytes)
                  + " used on the device"
                         : gigabytes(memory.residentBytes) + " resident"));
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
    m_journal.step(report, m_trainer->progress().skippedSteps, readMemory(m_accelerator),
        trainingThroughput(m_model->forwardFlops(), report.samples, report.times.step / 1000, m_mesh->shape().world,
            m_peakTeraflops));
    m_lastMetrics[metric::kLoss] = report.loss;
    m_lastMetrics[metric::kGradNorm] = report.gradNorm;
}

void TrainingRun::validate()
{
    const double loss = validationLoss(*m_model, *m_units, evaluationWeights(), m_mesh->data(), m_data.validation,
        static_cast<std::uint64_t>(m_experiment.integer("run.seed")), m_device);
    if (!isFirstRank() || std::isnan(loss))
        return;
    m_lastMetrics[metric::kValidationLoss] = loss;
    m_journal.metrics({{metric::kValidationLoss, loss}});
}

void TrainingRun::sample()
{
    m_sampledStep = step();
    const SamplerOptions options = samplerOptions(m_experiment);
    const auto seed = static_cast<std::uint64_t>(m_experiment.integer("run.seed"));
    const std::int64_t perLabel = m_experiment.integer("sample.per_label");
    const at::Tensor images = drawSamples(*m_model, *m_units, evaluationWeights(), m_mesh->data(),
        repeatedLabels(m_data.training.classes, perLabel), m_data.training.images.sizes().slice(1),
        options, seed, "samples", m_device);
    if (!isFirstRank())
        return;
    try {
        const std::string file
            = writeSampleGrid(m_folder.root(), images, perLabel, step(), seed, options);
        m_journal.sample(file, seed, options, evaluationWeights() == Weights::Ema ? "ema" : "model");
    } catch (const std::exception& error) {
        m_journal.event("warning", contract::event::kNotice,
            "samples not written: " + std::string(error.what()));
    }
}

void TrainingRun::judge()
{
    const std::int64_t count = m_experiment.integer("sample.judge");
    if (count == 0 || m_data.validation.labels.size(0) == 0)
        return;
    const auto seed = static_cast<std::uint64_t>(m_experiment.integer("run.seed"));
    auto labels = repeatedLabels(m_data.training.classes,
        (count + m_data.training.classes - 1) / m_data.training.classes);
    labels.resize(static_cast<std::size_t>(count));
    const at::Tensor images = drawSamples(*m_model, *m_units, evaluationWeights(), m_mesh->data(), labels,
        m_data.training.images.sizes().slice(1), samplerOptions(m_experiment), seed, "judged samples",
        m_device);
    if (!isFirstRank())
        return;
    const DigitJudge judge = DigitJudge::train(m_data, seed);
    const at::Tensor seen = judge.labels(images);
    const double agreement
        = seen.eq(at::tensor(labels, at::kLong)).to(at::kDouble).mean().item<double>();
    m_lastMetrics[metric::kJudgeAgreement] = agreement;
    m_journal.metrics({{metric::kJudgeAgreement, agreement}, {metric::kJudgeAccuracy, judge.accuracy()},
        {"judge/samples", static_cast<double>(count)}});
    logInfo("a classifier of held-out accuracy " + contract::shortestText(judge.accuracy())
        + " sees the asked label in " + contract::shortestText(agreement) + " of "
        + std::to_string(count) + " samples");
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
    for (const SaveResult& save : saves) {
        if (save.problem.empty())
            m_journal.checkpoint(save.step, save.bytes, save.seconds, save.pausedSeconds);
        else
            m_journal.event("error", contract::event::kNotice, "checkpoint not written at step "
                    + std::to_string(save.step) + ": " + save.problem + "; earlier checkpoints are whole");
    }
}

void TrainingRun::end(const char* outcome, const std::string& cause)
{
    tellOf(m_checkpoints->finish());
    m_journal.end(outcome, cause);
    m_mesh->world().barrier("at the end");
}

}  // namespace engine
