#include "engine/data/bucket_sampler.h"

#include "engine/comm/errors.h"
#include "engine/data/permutation.h"

#include <cassert>
#include <stdexcept>
#include <utility>

namespace engine {

BucketSampler::BucketSampler(std::vector<std::vector<std::int64_t>> buckets, std::int64_t globalBatch, std::uint64_t seed)
    : m_globalBatch(globalBatch)
    , m_seed(seed)
{
    if (globalBatch < 1)
        throw std::invalid_argument("BucketSampler: the global batch must be at least 1, not " + std::to_string(globalBatch));
    for (std::vector<std::int64_t>& rows : buckets) {
        if (rows.empty())
            continue;
        const auto count = static_cast<std::int64_t>(rows.size());
        m_size += count;
        // Each bucket gets its own seed, or buckets with equally many rows would be shuffled in the same way.
        m_buckets.push_back({std::move(rows), EpochSampler(count, seed + 0x9e3779b97f4a7c15U * (m_buckets.size() + 1))});
    }
    if (m_buckets.empty())
        throw EngineError(EngineError::Kind::Failure, "there is no data to train on");
}

std::int64_t BucketSampler::batchesBefore(std::int64_t epoch) const
{
    std::int64_t batches = 0;
    for (const Bucket& bucket : m_buckets)
        batches += epoch * bucket.order.size() / m_globalBatch;
    return batches;
}

void BucketSampler::drawEpoch(std::int64_t epoch)
{
    std::vector<Batch> inOrder;
    for (std::size_t bucket = 0; bucket < m_buckets.size(); ++bucket) {
        const std::int64_t rows = m_buckets[bucket].order.size();
        for (std::int64_t number = epoch * rows / m_globalBatch; number < (epoch + 1) * rows / m_globalBatch; ++number)
            inOrder.push_back({bucket, number});
    }
    m_batches.clear();
    for (const std::int64_t position : randomPermutation(static_cast<std::int64_t>(inOrder.size()), m_seed, static_cast<std::uint64_t>(epoch) + 1))
        m_batches.push_back(inOrder[static_cast<std::size_t>(position)]);
    m_firstBatch = batchesBefore(epoch);
}

const BucketSampler::Batch& BucketSampler::batch(std::int64_t number)
{
    const auto isDrawn = [&] { return number >= m_firstBatch && number < m_firstBatch + static_cast<std::int64_t>(m_batches.size()); };
    if (!isDrawn()) {
        // The first guess ignores rows left over at the ends of bucket epochs, which can only move a batch to a later epoch.
        std::int64_t epoch = number * m_globalBatch / m_size;
        while (batchesBefore(epoch + 1) <= number)
            ++epoch;
        drawEpoch(epoch);
    }
    return m_batches[static_cast<std::size_t>(number - m_firstBatch)];
}

std::int64_t BucketSampler::index(std::int64_t samplesSeen, std::int64_t place)
{
    assert(samplesSeen >= 0 && place >= 0 && place < m_globalBatch);
    const Batch& from = batch((samplesSeen + m_globalBatch - 1) / m_globalBatch);
    Bucket& bucket = m_buckets[from.bucket];
    return bucket.rows[static_cast<std::size_t>(bucket.order.index(from.number * m_globalBatch + place))];
}

}  // namespace engine
