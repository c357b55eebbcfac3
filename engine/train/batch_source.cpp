#include "engine/train/batch_source.h"

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

FlowBatch LabelledBatches::batch(const BatchPlace& place)
{
    if (place.rank < 0 || place.rank >= place.ranks)
        throw std::invalid_argument(
            "rank " + std::to_string(place.rank) + " of " + std::to_string(place.ranks) + " asks for its batch");
    // Row r of the step's global batch goes to rank (r / micro-batch) mod ranks: any number of ranks
    // with the same global batch sees the same rows.
    const std::int64_t firstRow = (place.micro * place.ranks + place.rank) * m_microBatch;
    std::vector<std::uint64_t> rows;
    const at::Tensor picked = at::empty({m_microBatch}, at::kLong);
    auto* pick = picked.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < m_microBatch; ++i) {
        rows.push_back(static_cast<std::uint64_t>(firstRow + i));
        pick[i] = m_sampler.index(place.samplesSeen + firstRow + i);
    }
    return noiseBatch(m_data.images.index_select(0, picked), m_data.labels.index_select(0, picked), rows, m_seed,
        static_cast<std::uint64_t>(place.step), m_labelDropout, m_nullLabel);
}

}  // namespace engine
