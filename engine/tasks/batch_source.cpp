#include "engine/tasks/batch_source.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <stdexcept>
#include <string>

namespace engine {

LabelledBatches::LabelledBatches(const LabelledImages& data, std::int64_t microBatch, double labelDropout,
    std::int64_t nullLabel, std::uint64_t seed)
    : m_data(data)
    , m_sampler(data.labels.size(0), seed)
    , m_microBatch(microBatch)
    , m_labelDropout(labelDropout)
    , m_nullLabel(nullLabel)
    , m_seed(seed)
{
}

FlowBatch LabelledBatches::batch(const BatchPosition& position)
{
    if (position.rank < 0 || position.rank >= position.ranks)
        throw std::invalid_argument(
            "a batch was requested for rank " + std::to_string(position.rank) + " of " + std::to_string(position.ranks));
    // Row r of the step's global batch goes to rank (r / micro-batch) mod ranks: a step with the same
    // global batch uses the same rows on any number of ranks.
    const std::int64_t firstRow = (position.micro * position.ranks + position.rank) * m_microBatch;
    std::vector<std::uint64_t> rows;
    const at::Tensor picked = at::empty({m_microBatch}, at::kLong);
    auto* pick = picked.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < m_microBatch; ++i) {
        rows.push_back(static_cast<std::uint64_t>(firstRow + i));
        pick[i] = m_sampler.index(position.samplesSeen + firstRow + i);
    }
    return noiseBatch(m_data.images.index_select(0, picked), m_data.labels.index_select(0, picked), rows, m_seed,
        static_cast<std::uint64_t>(position.step), m_labelDropout, m_nullLabel);
}

}  // namespace engine
