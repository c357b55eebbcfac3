// The sample order of training epochs.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// Maps the global index of a sample, counted from the start of the run, to a row of the data.
///
/// Each epoch (index / size) is a permutation of all rows, drawn from the seed and the epoch. The index is step × global
/// batch + position in the batch, of which each rank takes its part. The rows of a step are therefore the same for any number
/// of ranks, and a resume needs only the index.
class EpochSampler {
public:
    /// @throws EngineError Failure unless @p size is at least 1.
    EpochSampler(std::int64_t size, std::uint64_t seed);

    std::int64_t size() const { return m_size; }

    /// Returns the row of a sample. Takes constant time, except for the first sample of another epoch.
    /// @param globalSample at least 0
    std::int64_t index(std::int64_t globalSample);

private:
    std::int64_t m_size;
    std::uint64_t m_seed;
    std::int64_t m_epoch = -1;           ///< the epoch that m_order belongs to; -1: none yet
    std::vector<std::int64_t> m_order;
};

}  // namespace engine
