// In which order the data is seen.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// Maps the global number of a sample, counted from the run's start, to a row of the data.
///
/// Epoch number / size is a permutation of its own, drawn from the seed and the epoch: each row once.
/// It knows no ranks: number = step × global batch + place in the batch, of which a rank takes its part;
/// so the rows of a step are the same on any number of ranks, and a resume needs the number alone.
class EpochSampler {
public:
    /// @throws EngineError Failure unless @p size is at least 1.
    EpochSampler(std::int64_t size, std::uint64_t seed);

    std::int64_t size() const { return m_size; }

    /// @param globalSample at least 0. Constant time, except for the first one of another epoch.
    std::int64_t index(std::int64_t globalSample);

private:
    std::int64_t m_size;
    std::uint64_t m_seed;
    std::int64_t m_epoch = -1;           ///< of m_order; -1: none drawn yet
    std::vector<std::int64_t> m_order;
};

}  // namespace engine
