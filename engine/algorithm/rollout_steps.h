// Presents a rollout's rows to the training loop. The algorithm supplies the forward pass and the loss.
#pragma once
#include "engine/algorithm/rollout_batch.h"
#include "engine/train/forward_steps.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Base class for algorithms: a subclass overrides forward(), and its loss reads loaded().
class RolloutSteps : public ForwardSteps {
public:
    /// @param microBatch rows per micro-batch; must divide the rows of @p batch
    /// @param timestepsField name of a field [B, T, …] that sets T; empty: one timestep, which the algorithm draws
    /// @throws EngineError WrongUsage when the rows do not divide evenly; std::out_of_range when the field is missing.
    RolloutSteps(
        const RolloutBatch& batch, std::int64_t microBatch, const std::string& timestepsField, c10::Device device);

    std::int64_t rows() const override { return microBatches() * m_microBatch; }
    std::int64_t microBatches() const override { return static_cast<std::int64_t>(m_micros.size()); }
    std::int64_t timesteps() const override { return m_timesteps; }
    void load(std::int64_t micro) override;

    const RolloutBatch& loaded() const { return m_loaded; }  ///< the micro-batch on the device
    std::int64_t firstRow() const { return m_firstRow; }     ///< index in the batch of the first row of loaded()

private:
    std::int64_t m_microBatch;
    std::vector<RolloutBatch> m_micros;
    std::int64_t m_timesteps;
    c10::Device m_device;
    RolloutBatch m_loaded;
    std::int64_t m_firstRow = 0;
};

}  // namespace engine
