// Where a step's micro-batches come from.
#pragma once
#include "engine/data/digits.h"
#include "engine/data/epoch_sampler.h"
#include "engine/diffusion/flow_matching.h"

#include <cstdint>

namespace engine {

/// Which micro-batch of which rank.
struct BatchPlace {
    std::int64_t step = 0;
    std::int64_t samplesSeen = 0;  ///< by all ranks before this step
    std::int64_t micro = 0;        ///< number of the micro-batch within the step
    int rank = 0;
    int ranks = 1;

    bool operator==(const BatchPlace&) const = default;
};

class BatchSource {
public:
    virtual ~BatchSource() = default;
    virtual std::int64_t microBatch() const = 0;  ///< samples of one micro-batch
    /// On the CPU. @throws std::invalid_argument for a rank that is not in [0, ranks).
    virtual FlowBatch batch(const BatchPlace& place) = 0;
};

/// Labelled pictures in epochs; which rows a step sees does not depend on the number of ranks.
class LabelledBatches final : public BatchSource {
public:
    /// @param data outlives this.
    LabelledBatches(const LabelledImages& data, std::int64_t microBatch, double labelDropout,
        std::int64_t nullLabel, std::uint64_t seed);

    std::int64_t microBatch() const override { return m_microBatch; }
    FlowBatch batch(const BatchPlace& place) override;

private:
    const LabelledImages& m_data;
    EpochSampler m_sampler;
    std::int64_t m_microBatch;
    double m_labelDropout;
    std::int64_t m_nullLabel;
    std::uint64_t m_seed;
};

}  // namespace engine
