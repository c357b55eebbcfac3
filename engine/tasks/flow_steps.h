// Supervised flow matching as ForwardSteps: labelled images, each at one noise level per step.
#pragma once
#include "engine/comm/group.h"
#include "engine/models/transformer/model.h"
#include "engine/shard/copy_stream.h"
#include "engine/tasks/batch_source.h"
#include "engine/train/forward_steps.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace engine {

class FlowSteps final : public ForwardSteps {
public:
    /// @param microBatches per step on each rank
    /// @param dataRanks the ranks among which the rows are divided
    /// @param seed for random draws inside layers, such as dropout
    /// @p model, @p batches and @p dataRanks must outlive this object.
    FlowSteps(const Model& model, BatchSource& batches, std::int64_t microBatches, Group& dataRanks, c10::Device device,
        std::uint64_t seed = 0);

    std::int64_t rows() const override { return m_batches.microBatch() * m_microBatches; }
    std::int64_t microBatches() const override { return m_microBatches; }
    std::int64_t timesteps() const override { return 1; }
    void begin(const TrainingProgress& progress) override { m_progress = progress; }
    void load(std::int64_t micro) override;
    void prefetch() override;
    ForwardStep forward(Tape& tape, std::int64_t timestep) override;

    /// The number of steps in an epoch, not always a whole one; 0: there are no epochs.
    double stepsPerEpoch() const { return static_cast<double>(m_batches.epochSamples()) / static_cast<double>(rows() * m_dataRanks.size()); }

    /// Returns the loss mean(weight · (velocity - target)²). It refers to this object, and each gradient it returns stays
    /// valid only until the next pass.
    LossFunction loss();

private:
    /// A micro-batch on the device.
    struct Loaded {
        BatchPosition position;
        ModelInput input;
        at::Tensor target, weights;
        std::optional<CopyStream::Mark> uploaded;
    };

    Loaded upload(const BatchPosition& position);

    const Model& m_model;
    BatchSource& m_batches;
    std::int64_t m_microBatches;
    Group& m_dataRanks;
    c10::Device m_device;
    CopyStream m_copies;
    PassDraws m_draws;
    TrainingProgress m_progress;
    Loaded m_loaded;
    std::optional<Loaded> m_next;  ///< its upload may still be under way
    at::Tensor m_gradient;  ///< gradient of the prediction; its memory is reused from pass to pass
};

}  // namespace engine
