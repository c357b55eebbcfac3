// Sources of a step's micro-batches.
#pragma once
#include "engine/data/digits.h"
#include "engine/data/epoch_sampler.h"
#include "engine/diffusion/flow_matching.h"

#include <cstdint>

namespace engine {

/// Identifies one micro-batch of a run: its step, its index within the step, and the rank.
struct BatchPosition {
    std::int64_t step = 0;
    std::int64_t samplesSeen = 0;  ///< by all ranks before this step
    std::int64_t micro = 0;        ///< index of the micro-batch within the step
    int rank = 0;                  ///< data rank, in [0, ranks)
    int ranks = 1;                 ///< data ranks

    bool operator==(const BatchPosition&) const = default;
};

class BatchSource {
public:
    virtual ~BatchSource() = default;
    virtual std::int64_t microBatch() const = 0;  ///< samples in one micro-batch
    virtual std::int64_t epochSamples() const { return 0; }  ///< samples in an epoch; 0: there are no epochs
    /// Returns the micro-batch at @p position, on the CPU. @throws std::invalid_argument for a rank outside [0, ranks).
    virtual FlowBatch batch(const BatchPosition& position) = 0;
};

/// Labelled images in shuffled epochs. The rows that a step uses do not depend on the number of ranks.
class LabelledBatches final : public BatchSource {
public:
    /// @param data must outlive this object
    LabelledBatches(const LabelledImages& data, std::int64_t microBatch, double labelDropout,
        std::int64_t nullLabel, std::uint64_t seed);

    std::int64_t microBatch() const override { return m_microBatch; }
    std::int64_t epochSamples() const override { return m_sampler.size(); }
    FlowBatch batch(const BatchPosition& position) override;

private:
    const LabelledImages& m_data;
    EpochSampler m_sampler;
    std::int64_t m_microBatch;
    double m_labelDropout;
    std::int64_t m_nullLabel;
    std::uint64_t m_seed;
};

}  // namespace engine
