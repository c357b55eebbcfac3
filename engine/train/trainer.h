// Runs training steps: load, forward, backward, reduce, update, report.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/optim/loss_scaler.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/schedule.h"
#include "engine/train/forward_backward.h"
#include "engine/train/forward_steps.h"
#include "engine/train/requests.h"
#include "engine/train/training_progress.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace engine {

struct StepReport {
    double loss = 0;      ///< mean over ranks, micro-batches and timesteps
    double rankLoss = 0;  ///< mean over this rank's micro-batches and timesteps
    double gradNorm = 0;  ///< global L2 norm before clipping; may be non-finite
    double lr = 0;        ///< learning rate of this step
    std::optional<double> lossScale;  ///< of this step; set only when some unit computes in float16
    bool isSkipped = false;
    std::int64_t samples = 0;  ///< on all ranks together
    double forwardFlops = 0;   ///< of the forward passes on all ranks together, without recomputation
    StepTimes times;           ///< on a device the optimizer's is that of the step before, for which the host has not waited yet
    Requests agreed;      ///< requests of all ranks combined; equal on all ranks
};

class Trainer {
public:
    /// The units and the mesh must outlive this object.
    Trainer(const contract::Experiment& experiment, UnitSequence& units, Mesh& mesh, c10::Device device);

    /// Zeroes the gradients, runs forward and backward, reduces, clips and updates the weights. The update is skipped when
    /// the gradient norm is not finite. Collective. See [Note: accumulation].
    /// @param requests this rank's requests; StepReport::agreed combines those of all ranks
    /// @throws std::invalid_argument without a loss function.
    StepReport step(ForwardSteps& steps, const LossFunction& loss, const Requests& requests);

    /// Returns this rank's losses and metrics of the last step.
    const StepNumbers& numbers() const { return m_numbers; }

    const TrainingProgress& progress() const { return m_progress; }

    /// Returns the values that a resume needs besides tensors.
    std::map<std::string, std::string> toState() const;
    /// @throws EngineError BadCheckpoint naming the entry that is missing.
    void restore(const std::map<std::string, std::string>& state);

private:
    void reduceReport(StepReport& report, const Requests& requests, double gradScale);
    void update(StepReport& report, double gradScale, bool isLastOfRound);

    UnitSequence& m_units;
    Mesh& m_mesh;
    c10::Device m_device;
    std::unique_ptr<Optimizer> m_optimizer;
    Schedule m_schedule;
    bool m_schedulesRounds;        ///< policy.schedule_by_round
    bool m_isScaling;              ///< whether some unit computes in float16
    LossScaler m_scaler;
    TrainingProgress m_progress;
    StepNumbers m_numbers;
    PartClock m_clock;

    double m_lr, m_clipNorm, m_emaDecay;
};

}  // namespace engine
