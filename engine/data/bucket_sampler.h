// The sample order for images of several sizes: all samples of a global batch have the same size.
#pragma once
#include "engine/data/epoch_sampler.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Maps a sample, counted from the start of the run, to a row of the data. Like EpochSampler it does not depend on the number of
/// ranks, and a resume needs only the count.
///
/// Each bucket shuffles its rows in epochs of its own. Rows that do not fill a batch at the end of a bucket's epoch go into
/// its next batch, so that all rows are used equally often. After e epochs of all data, a bucket of n rows has produced
/// floor(e n / batch) batches. The order of the batches is shuffled anew for each epoch.
class BucketSampler {
public:
    /// @param buckets the rows of each size; a row occurs as often as it is repeated in an epoch; empty buckets are ignored
    /// @param globalBatch samples per step over all ranks and micro-batches
    /// @throws EngineError Failure when there are no rows, std::invalid_argument when globalBatch < 1.
    BucketSampler(std::vector<std::vector<std::int64_t>> buckets, std::int64_t globalBatch, std::uint64_t seed);

    std::int64_t size() const { return m_size; }  ///< samples per epoch

    /// Returns the data row of a sample of a step. After a resume with another global batch, @p samplesSeen may lie inside one
    /// of the batches; the step then uses the next whole one, because only samples of one batch have one size.
    /// @param samplesSeen samples before the step, at least 0
    /// @param place index of the sample in the step, in [0, globalBatch)
    std::int64_t index(std::int64_t samplesSeen, std::int64_t place);

private:
    struct Bucket {
        std::vector<std::int64_t> rows;
        EpochSampler order;
    };
    struct Batch {
        std::size_t bucket = 0;
        std::int64_t number = 0;  ///< index among the bucket's batches since the start of the run
    };

    std::int64_t batchesBefore(std::int64_t epoch) const;
    const Batch& batch(std::int64_t number);
    void drawEpoch(std::int64_t epoch);

    std::vector<Bucket> m_buckets;
    std::int64_t m_globalBatch;
    std::uint64_t m_seed;
    std::int64_t m_size = 0;
    std::vector<Batch> m_batches;   ///< batches of the epoch drawn last
    std::int64_t m_firstBatch = 0;  ///< global index of its first batch
};

}  // namespace engine
