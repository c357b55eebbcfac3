// What TrainingRun begins from: random weights, a checkpoint of the run, or one of another run.
#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/rotation.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/tasks/engine_options.h"
#include "engine/worker/supervised_base.h"
#include "engine/worker/training_run.h"

#include <filesystem>
#include <utility>

namespace engine {

void TrainingRun::restore()
{
    if (isFirstRank())
        removeUnfinishedCheckpoints(m_folder);
    if (!m_start.parentCheckpoint.empty())
        resume();
    else if (!m_origin.empty())
        initializeFrom(m_origin);
    // Created only after the load, because its staging memory is as large as this rank's shards.
    m_checkpoints = std::make_unique<CheckpointWriter>(m_folder, *m_units, *m_mesh,
        contentsOf(m_experiment.text("checkpoint.save")), rotationOf(m_experiment), [this] { m_journal.pulse(); });
}

std::optional<std::string> TrainingRun::origin()
{
    const std::string& given = m_experiment.text("checkpoint.init_from");
    const bool needsBase = contract::isPolicyAlgorithm(m_experiment.text("algorithm.name")) && hasSupervisedBase(m_experiment);
    if (!m_start.parentCheckpoint.empty() || !given.empty() || !needsBase)
        return given;
    return supervisedBase(m_experiment, *m_taskContext);
}

std::optional<std::uint64_t> TrainingRun::weightSeed() const
{
    const bool isLoading = !m_start.parentCheckpoint.empty() || !m_origin.empty();
    if (isLoading && m_experiment.boolean("checkpoint.strict"))
        return std::nullopt;
    return static_cast<std::uint64_t>(m_experiment.integer("run.seed"));
}

void TrainingRun::resume()
{
    if (isFirstRank() && !m_start.notice.empty())
        m_journal.warn(m_start.notice);
    m_journal.phase("loads " + m_start.parentCheckpoint);
    const Contents contents = contentsOf(m_experiment.text("checkpoint.load"));
    auto [manifest, report] = loadCheckpoint(m_folder.root() / m_start.parentCheckpoint, *m_units, *m_mesh,
        contents == Contents::All ? stateOptions() : m_task->stateOptions(),
        {contents, m_experiment.boolean("checkpoint.strict")});
    if (isFirstRank())
        m_journal.loaded(report);
    if (manifest.state.emplace("samples_seen", "0").second)
        m_journal.warn("the checkpoint does not record how much data was read; the data order starts from the beginning");
    m_trainer->restore(manifest.state);
    m_lastMetrics = manifest.metrics;
    const std::map<std::string, std::string> state = manifest.state;
    DataFiles data(m_folder.root() / m_start.parentCheckpoint,
        contents == Contents::All ? std::move(manifest) : contract::CheckpointManifest());
    m_task->restore(step(), state, data);
    m_savedStep = step();
    m_journal.setStep(step());
    m_journal.note("continues from step " + std::to_string(step()));
}

void TrainingRun::initializeFrom(const std::string& checkpoint)
{
    m_journal.phase("loads weights");
    // The window's file dialog passes the path of the manifest.
    std::filesystem::path folder(checkpoint);
    if (folder.filename() == contract::kManifestFile)
        folder = folder.parent_path();
    const auto loaded = loadCheckpoint(folder, *m_units, *m_mesh, m_task->stateOptions(),
        {Contents::Weights, m_experiment.boolean("checkpoint.strict")});
    if (isFirstRank())
        m_journal.loaded(loaded.report);
    m_journal.note("starts with the weights of " + folder.string());
}

}  // namespace engine
