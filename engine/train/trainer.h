// One training step after another: load, forward, backward, reduce, update, report.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment.h"
#include "engine/model/model.h"
#include "engine/train/batch_source.h"
#include "engine/train/loss_scaler.h"
#include "engine/train/optimizer.h"
#include "engine/train/schedule.h"
#include "engine/train/signals.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace engine {

/// Counters that a resume needs; see architecture: a skipped step advances step alone.
struct TrainingProgress {
    std::int64_t step = 0;          ///< attempted
    std::int64_t appliedSteps = 0;  ///< optimizer steps
    std::int64_t skippedSteps = 0;
    std::int64_t samplesSeen = 0;   ///< by all ranks: where the data go on

    std::map<std::string, std::string> toState() const;
    /// @throws EngineError BadCheckpoint naming what is missing.
    static TrainingProgress fromState(const std::map<std::string, std::string>& state);
};

struct StepTimes {  ///< milliseconds
    double step = 0, data = 0, forward = 0, backward = 0, communication = 0, optimizer = 0;
};

struct StepReport {
    double loss = 0;      ///< mean over ranks and micro-batches
    double rankLoss = 0;  ///< mean over this rank's micro-batches
    double gradNorm = 0;  ///< global, before clipping; may be non-finite
    double lr = 0;        ///< of this step
    std::optional<double> lossScale;  ///< of this step, where compute is float16
    bool isSkipped = false;
    std::int64_t samples = 0;  ///< of all ranks
    StepTimes times;
    Requests agreed;      ///< what any rank was asked for
};

class Trainer {
public:
    /// Everything referred to outlives this.
    Trainer(const contract::Experiment& experiment, const Model& model, UnitSequence& units,
        Mesh& mesh, BatchSource& batches, c10::Device device);

    /// Collective. @param requests of this rank; all ranks get the sum back.
    StepReport step(const Requests& requests);

    const TrainingProgress& progress() const { return m_progress; }

    /// What a resume needs besides tensors.
    std::map<std::string, std::string> toState() const;
    /// @throws EngineError BadCheckpoint naming what is missing.
    void restore(const std::map<std::string, std::string>& state);

private:
    double runMicroBatch(std::int64_t micro, StepTimes& times);
    void reduceReport(StepReport& report, const Requests& requests, double gradScale);
    void update(StepReport& report, double gradScale);

    const Model& m_model;
    UnitSequence& m_units;
    Mesh& m_mesh;
    BatchSource& m_batches;
    c10::Device m_device;
    std::unique_ptr<Optimizer> m_optimizer;
    Schedule m_schedule;
    LossScaler m_scaler;
    bool m_isScaling;              ///< compute is float16
    TrainingProgress m_progress;

    std::int64_t m_accumulation;   ///< micro-batches
    double m_lr, m_clipNorm, m_emaDecay;
};

}  // namespace engine
