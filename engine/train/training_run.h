// One attempt of a run on one rank, from its folder to its end record.
#pragma once
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/accelerator.h"
#include "engine/comm/mesh.h"
#include "engine/comm/rank_identity.h"
#include "engine/contract/control.h"
#include "engine/contract/experiment.h"
#include "engine/contract/run_folder.h"
#include "engine/shard/buffer_pool.h"
#include "engine/train/profile.h"
#include "engine/train/residency.h"
#include "engine/train/run_journal.h"
#include "engine/train/run_setup.h"
#include "engine/train/task.h"
#include "engine/train/trainer.h"

#include <memory>
#include <optional>
#include <string>

namespace engine {

class TrainingRun {
public:
    /// Reads the attempt's experiment and opens the journal. @throws EngineError, std::system_error.
    TrainingRun(const contract::RunFolder& folder, int attempt, const RankIdentity& identity);

    /// Trains to the end or until told to stop. Collective. @throws EngineError; then call reportFailure().
    void execute();

    /// Journals why this rank fails: an error event and the end record; logs its memory.
    void reportFailure(const std::string& cause);

    std::int64_t step() const { return m_trainer ? m_trainer->progress().step : 0; }

    /// " at step 13" while it trains, empty before.
    std::string moment() const;

    /// What would need less memory, for the message of a rank that has run out of it.
    std::string memoryAdvice() const;

private:
    void buildUnits();
    /// Nothing where a strict load replaces all weights: drawing them takes longer than reading them.
    std::optional<std::uint64_t> weightSeed() const;
    void restore();
    void resume();
    /// Weights that another run left, for a run that begins.
    void beginFrom(const std::string& checkpoint);
    void train();
    /// What follows a step: validation, samples, checkpoint, as due or as asked.
    void afterStep(const StepReport& report);

    StepReport trainStep();
    void reportModel(const std::vector<UnitSpec>& units);
    void reportMemory(const std::string& when);
    Requests pollRequests();
    void journalStep(const StepReport& report);
    void validate();
    void sample();
    void judge();
    void checkpoint();
    void tellOf(const std::vector<SaveResult>& saves);
    void end(const char* outcome, const std::string& cause);

    /// What a checkpoint must have in common with the experiment.
    std::map<std::string, std::string> stateOptions() const;

    bool isDue(const char* key) const;  ///< "every" options
    bool isFirstRank() const { return m_identity.rank == 0; }

    contract::RunFolder m_folder;
    int m_attempt;
    RankIdentity m_identity;
    contract::AttemptStart m_start;
    contract::Experiment m_experiment;
    RunJournal m_journal;
    contract::CommandReader m_commands;

    Compute m_compute;
    std::unique_ptr<Mesh> m_mesh;
    std::optional<TaskPlace> m_place;
    std::unique_ptr<BufferPool> m_pool;
    std::optional<CopyStream> m_copies;  ///< engine.offload = shards
    std::unique_ptr<UnitSequence> m_units;
    std::unique_ptr<Task> m_task;  ///< ends before the units, which its adapters lie in
    std::optional<Residency> m_residency;
    std::unique_ptr<Trainer> m_trainer;
    std::unique_ptr<CheckpointWriter> m_checkpoints;
    std::map<std::string, double> m_lastMetrics;  ///< for the checkpoint's manifest
    std::optional<StepProfile> m_profile;
    bool m_isTraining = false;
    std::int64_t m_sampledStep = -1;
    std::int64_t m_savedStep = -1;
};

}  // namespace engine
