// The order in which an update goes through the rows of a rollout.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

struct MiniBatchOptions {
    std::int64_t miniBatch = 0;    ///< rows per mini-batch on all data ranks together; 0: derived from miniBatches
    std::int64_t miniBatches = 0;  ///< mini-batches per epoch; 0: derived from miniBatch
    std::int64_t epochs = 1;
    std::uint64_t seed = 42;
    bool shuffles = false;         ///< whether rows are shuffled anew in each epoch
};

/// Divides each rank's rows into mini-batches. Rows stay on their rank: each rank contributes one local mini-batch to a
/// global mini-batch, and shuffles its own rows with the seed plus its rank. With shuffling, the rows that share a step
/// therefore depend on the number of ranks, unlike elsewhere in Atelier.
class MiniBatches {
public:
    /// @param rows number of rows on this rank
    /// @throws EngineError WrongUsage naming the numbers that do not divide evenly, or when neither size is given.
    MiniBatches(const MiniBatchOptions& options, std::int64_t rows, int dataRank, int dataRanks);

    std::int64_t size() const { return m_size; }    ///< rows of a mini-batch on this rank
    std::int64_t count() const { return m_epochs * (m_rows / m_size); }  ///< mini-batches in all epochs

    struct MiniBatch {
        std::vector<std::int64_t> rows;  ///< indices of this rank's rows
        bool isLast = false;             ///< last of all epochs; the learning-rate schedule advances with it
    };

    /// Returns the next mini-batch, or nullopt after the last one.
    std::optional<MiniBatch> next();

private:
    std::int64_t m_rows, m_size, m_epochs;
    std::uint64_t m_seed;
    bool m_shuffles;
    std::int64_t m_next = 0;
    std::vector<std::int64_t> m_order;  ///< row order of the current epoch
};

}  // namespace engine
