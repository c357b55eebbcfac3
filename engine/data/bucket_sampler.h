// In which order pictures of several sizes are seen: each global batch has one size.
#pragma once
#include "engine/data/epoch_sampler.h"

#include <cstdint>
#include <vector>

namespace engine {

/// Maps the global number of a sample, counted from the run's start, to a row of the data, as EpochSampler does: it knows
/// no ranks, and a resume needs the number alone.
///
/// A bucket's rows come in epochs of their own, each a permutation; what does not fill a batch at the end of one goes on
/// in the next, so that every row is seen as often as any other. After e epochs of all data, a bucket of n rows has had
/// floor(e n / batch) batches; in which order the batches of an epoch come is drawn anew for each.
class BucketSampler {
public:
    /// @param buckets rows of each size; a row that is to be repeated is named as often. Empty ones are left out.
    /// @param globalBatch samples of a step, over all ranks and micro-batches.
    /// @throws EngineError Failure when there is no row, std::invalid_argument when globalBatch < 1.
    BucketSampler(std::vector<std::vector<std::int64_t>> buckets, std::int64_t globalBatch, std::uint64_t seed);

    std::int64_t size() const { return m_size; }  ///< samples of an epoch

    /// @param globalSample at least 0.
    std::int64_t index(std::int64_t globalSample);

private:
    struct Bucket {
        std::vector<std::int64_t> rows;
        EpochSampler order;
    };
    struct Batch {
        std::size_t bucket = 0;
        std::int64_t number = 0;  ///< of the bucket's batches, from the run's start
    };

    std::int64_t batchesBefore(std::int64_t epoch) const;
    const Batch& batch(std::int64_t number);
    void drawEpoch(std::int64_t epoch);

    std::vector<Bucket> m_buckets;
    std::int64_t m_globalBatch;
    std::uint64_t m_seed;
    std::int64_t m_size = 0;
    std::vector<Batch> m_batches;   ///< of the epoch that was drawn last
    std::int64_t m_firstBatch = 0;  ///< of them, counted from the run's start
};

}  // namespace engine
