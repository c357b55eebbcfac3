// A rollout's rows as the training loop sees them. What the model is asked, and the loss, are the algorithm's.
#pragma once
#include "engine/data/rollout_batch.h"
#include "engine/train/forward_steps.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// An algorithm overrides forward(), and its loss reads loaded().
class RolloutSteps : public ForwardSteps {
public:
    /// @param microBatch rows, which divide those of @p batch
    /// @param timestepsField [B, T] says how many timesteps each row is trained at; empty: at one, which the algorithm draws
    /// @throws EngineError WrongUsage where the rows do not divide; std::out_of_range where the field is missing.
    RolloutSteps(
        const RolloutBatch& batch, std::int64_t microBatch, const std::string& timestepsField, c10::Device device);

    std::int64_t rows() const override { return microBatches() * m_microBatch; }
    std::int64_t microBatches() const override { return static_cast<std::int64_t>(m_micros.size()); }
    std::int64_t timesteps() const override { return m_timesteps; }
    void load(std::int64_t micro) override;

    const RolloutBatch& loaded() const { return m_loaded; }  ///< the micro-batch on the device
    std::int64_t firstRow() const { return m_firstRow; }     ///< its number in the batch

private:
    std::int64_t m_microBatch;
    std::vector<RolloutBatch> m_micros;
    std::int64_t m_timesteps;
    c10::Device m_device;
    RolloutBatch m_loaded;
    std::int64_t m_firstRow = 0;
};

}  // namespace engine
