// Supervised flow matching as the training loop sees it: labelled pictures, one noise level each.
#pragma once
#include "engine/comm/group.h"
#include "engine/model/model.h"
#include "engine/train/batch_source.h"
#include "engine/train/forward_steps.h"

#include <c10/core/Device.h>

#include <cstdint>

namespace engine {

class FlowSteps final : public ForwardSteps {
public:
    /// @param microBatches of a step on each rank
    /// @param dataRanks that divide the rows. Everything referred to outlives this.
    /// @param seed of what layers draw, such as dropout
    FlowSteps(const Model& model, BatchSource& batches, std::int64_t microBatches, Group& dataRanks, c10::Device device,
        std::uint64_t seed = 0);

    std::int64_t rows() const override { return m_batches.microBatch() * m_microBatches; }
    std::int64_t microBatches() const override { return m_microBatches; }
    std::int64_t timesteps() const override { return 1; }
    void begin(const TrainingProgress& progress) override { m_progress = progress; }
    void load(std::int64_t micro) override;
    ForwardStep forward(Tape& tape, std::int64_t timestep) override;

    /// mean(weight · (velocity - target)²); refers to this, as does the gradient until the next pass.
    LossFunction loss();

private:
    const Model& m_model;
    BatchSource& m_batches;
    std::int64_t m_microBatches;
    Group& m_dataRanks;
    c10::Device m_device;
    PassDraws m_draws;
    TrainingProgress m_progress;
    ModelInput m_input;
    at::Tensor m_target, m_weights;
    at::Tensor m_gradient;  ///< memory for that of the prediction, from pass to pass
};

}  // namespace engine
