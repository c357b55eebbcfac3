// Runs one attempt of a run on one rank, from reading its folder to the end record.
#pragma once
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/accelerator.h"
#include "engine/comm/mesh.h"
#include "engine/comm/rank_identity.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/run_folder.h"
#include "engine/shard/buffer_pool.h"
#include "engine/tasks/task.h"
#include "engine/train/offload.h"
#include "engine/train/trainer.h"
#include "engine/worker/background_plan.h"
#include "engine/worker/memory.h"
#include "engine/worker/profile.h"
#include "engine/worker/run_evaluation.h"
#include "engine/worker/run_journal.h"
#include "engine/worker/run_setup.h"
#include "engine/worker/supervisor_duties.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace engine {

class TrainingRun {
public:
    /// Reads the attempt's experiment and opens the journal. @throws EngineError, std::system_error.
    TrainingRun(const contract::RunFolder& folder, int attempt, const RankIdentity& identity);

    const contract::Experiment& experiment() const { return m_experiment; }

    /// Call before execute() on rank 0 of a run without a supervisor.
    void takeSupervisorDuties();

    /// Trains to the end or until a stop is requested. Collective. @throws EngineError; then call reportFailure().
    /// @param hasForecast whether rank 0 forecasts the run meanwhile, see [Note: kept forecasts]
    void execute(Rendezvous rendezvous, bool hasForecast = true);

    /// Writes an error event and the end record with @p cause to the journal, and logs this rank's memory use.
    void reportFailure(const std::string& cause);

    std::int64_t step() const { return m_trainer ? m_trainer->progress().step : 0; }

    /// Suggests options that need less memory, for the message of a rank that has run out of memory.
    std::string memoryAdvice() const;

private:
    void buildUnits();
    /// Returns nullopt when a strict load will overwrite every weight, so that initialisation can be skipped.
    std::optional<std::uint64_t> weightSeed() const;
    void restore();
    void resume();
    /// Starts a new run from the weights of another run's checkpoint.
    void initializeFrom(const std::string& checkpoint);
    /// Returns the checkpoint whose weights a new run starts from; empty: from random ones; nullopt: the ranks have agreed to stop before
    /// there was one. Collective.
    std::optional<std::string> origin();
    void train();
    /// Validates, saves a checkpoint and samples after a step, where due or requested.
    void afterStep(const Requests& agreed);
    void forecastInTime();
    bool isStopping(const Requests& agreed) const { return agreed.stop || !m_task->stopReason().empty(); }
    /// Samples and judges the trained model, whose checkpoint is on the disk.
    void evaluateResult();

    /// Begins the round that is due.
    /// @return whether the updates begin; false: all ranks have agreed to stop.
    bool startRound();
    StepReport trainStep();
    /// Keeps numbers for the next checkpoint's manifest.
    void keep(const NamedNumbers& numbers);
    void reportModel(const std::vector<UnitSpec>& units);
    void reportMemory(const std::string& when);
    void request(contract::Command command);
    /// Adds this rank's new requests to m_requests.
    void pollRequests();
    /// Whether a rank was asked to stop, at once or with a checkpoint. Saves the checkpoint that was asked for. Collective.
    bool isStopAgreed();
    void journalStep(const StepReport& report);
    /// Starts saving a checkpoint, unless there is one of this step.
    void checkpoint();
    /// Writes the checkpoint of the last step. Where it cannot be written, for example because the disk is full, tries again for ten
    /// minutes, or until it is asked to stop now: without it all training since the one before is lost. Collective.
    /// @throws EngineError when it could not be written.
    void writeLastCheckpoint();
    /// Waits until the checkpoints that were started are on the disk.
    void finishCheckpoints();
    void journalSaves(const std::vector<SaveResult>& saves);
    void end(const char* outcome, const std::string& cause);

    /// Returns the options that a checkpoint must share with the experiment.
    std::map<std::string, std::string> stateOptions() const;

    bool isDue(const char* key) const;  ///< whether an option such as checkpoint.every is due at the current step
    bool isFirstRank() const { return m_identity.rank == 0; }

    contract::RunFolder m_folder;
    int m_attempt;
    RankIdentity m_identity;
    contract::AttemptStart m_start;
    contract::Experiment m_experiment;
    RunJournal m_journal;
    contract::CommandReader m_commands;
    std::optional<SupervisorDuties> m_duties;  ///< of rank 0 of a run without a supervisor, and of its deputies

    Compute m_compute;
    MemoryMeter m_memory;
    std::unique_ptr<Mesh> m_mesh;
    std::optional<TaskContext> m_taskContext;
    std::unique_ptr<BufferPool> m_pool;
    std::optional<CopyStream> m_copies;  ///< engine.offload = shards
    std::unique_ptr<UnitSequence> m_units;
    bool m_hasForecast = false;  ///< and it is not begun
    std::optional<std::chrono::steady_clock::time_point> m_firstStepEnd;
    std::optional<BackgroundPlan> m_plan;  ///< of rank 0, until it has ended
    std::unique_ptr<Task> m_task;  ///< destroyed before the units, which hold its adapters
    std::optional<Offload> m_offload;
    std::optional<RunEvaluation> m_evaluation;
    std::unique_ptr<Trainer> m_trainer;
    std::unique_ptr<CheckpointWriter> m_checkpoints;
    std::map<std::string, double> m_lastMetrics;  ///< for the checkpoint's manifest
    std::optional<StepProfile> m_profile;
    std::string m_origin;  ///< see origin()
    Requests m_requests;   ///< of this rank, until the next step
    bool m_isTraining = false;
    bool m_hasPace = false;  ///< whether this attempt's pace is in the journal
    std::int64_t m_savedStep = -1;
    std::int64_t m_failedStep = -1;  ///< of the last save that failed
    std::string m_saveProblem;  ///< of the last save, on rank 0; of others those that this rank failed in
};

}  // namespace engine
