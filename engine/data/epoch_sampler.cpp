#include "engine/data/epoch_sampler.h"

#include "engine/comm/errors.h"
#include "engine/data/permutation.h"

#include <cassert>

namespace engine {

EpochSampler::EpochSampler(std::int64_t size, std::uint64_t seed)
    : m_size(size)
    , m_seed(seed)
{
    if (size < 1)
        throw EngineError(EngineError::Kind::Failure, "there is no data to train on");
}

std::int64_t EpochSampler::index(std::int64_t globalSample)
{
    assert(globalSample >= 0);
    const std::int64_t epoch = globalSample / m_size;
    if (epoch != m_epoch) {
        // Stream 0 of the seed is used for the split into training and validation data.
        m_order = randomPermutation(m_size, m_seed, static_cast<std::uint64_t>(epoch) + 1);
        m_epoch = epoch;
    }
    return m_order[static_cast<std::size_t>(globalSample % m_size)];
}

}  // namespace engine
