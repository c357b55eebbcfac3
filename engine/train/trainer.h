// One training step after another: load, forward, backward, reduce, update, report.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment.h"
#include "engine/train/forward_backward.h"
#include "engine/train/forward_steps.h"
#include "engine/train/loss_scaler.h"
#include "engine/train/optimizer.h"
#include "engine/train/schedule.h"
#include "engine/train/signals.h"
#include "engine/train/training_progress.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace engine {

struct StepReport {
    double loss = 0;      ///< mean over ranks, micro-batches and timesteps
    double rankLoss = 0;  ///< mean over this rank's
    double gradNorm = 0;  ///< global, before clipping; may be non-finite
    double lr = 0;        ///< of this step
    std::optional<double> lossScale;  ///< of this step, where compute is float16
    bool isSkipped = false;
    std::int64_t samples = 0;  ///< of all ranks
    StepTimes times;
    Requests agreed;      ///< what any rank was asked for
};

/// When the learning rate goes on along its schedule.
enum class ScheduleStep {
    Each,  ///< with every applied step
    None   ///< an update of several steps takes one, with its last
};

class Trainer {
public:
    /// Everything referred to outlives this.
    Trainer(const contract::Experiment& experiment, UnitSequence& units, Mesh& mesh, c10::Device device);

    /// Zeroes gradients, goes forward and back, reduces, clips and updates, unless the gradients' norm is not finite.
    /// Collective. See [Note: accumulation].
    /// @param requests of this rank; all ranks get the sum back.
    /// @throws std::invalid_argument without a loss function.
    StepReport step(ForwardSteps& steps, const LossFunction& loss, const Requests& requests,
        ScheduleStep schedule = ScheduleStep::Each);

    /// This rank's losses and metrics of the last step.
    const StepNumbers& numbers() const { return m_numbers; }

    const TrainingProgress& progress() const { return m_progress; }

    /// What a resume needs besides tensors.
    std::map<std::string, std::string> toState() const;
    /// @throws EngineError BadCheckpoint naming what is missing.
    void restore(const std::map<std::string, std::string>& state);

private:
    void reduceReport(StepReport& report, const Requests& requests, double gradScale);
    void update(StepReport& report, double gradScale, ScheduleStep schedule);

    UnitSequence& m_units;
    Mesh& m_mesh;
    c10::Device m_device;
    std::unique_ptr<Optimizer> m_optimizer;
    Schedule m_schedule;
    bool m_isScaling;              ///< some unit computes in float16
    LossScaler m_scaler;
    TrainingProgress m_progress;
    StepNumbers m_numbers;

    double m_lr, m_clipNorm, m_emaDecay;
};

}  // namespace engine
