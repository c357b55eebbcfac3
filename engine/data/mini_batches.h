// The order in which an update goes through the rows of a rollout.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

struct MiniBatchOptions {
    std::int64_t miniBatch = 0;    ///< rows of all data ranks together; 0: as miniBatches says
    std::int64_t miniBatches = 0;  ///< so many of an epoch; 0: as miniBatch says
    std::int64_t epochs = 1;
    std::uint64_t seed = 42;
    bool shuffles = false;         ///< each epoch anew
};

/// Rows of all data ranks behind @p prompts prompts: each has @p samplesPerPrompt, or a pair of them.
std::int64_t globalMiniBatch(std::int64_t prompts, std::int64_t samplesPerPrompt, bool arePairs);

/// Pairs lie beside each other, so their rows are not shuffled.
/// @return whether @p options asked for that, and now do not: worth a warning
bool keepPairsTogether(MiniBatchOptions& options);

/// Rows stay on the rank that has them: a mini-batch of the run is one of each rank, and a rank shuffles its own
/// rows, drawn from the seed and its number. So with shuffling, unlike elsewhere, which rows meet in a step depends
/// on the number of ranks.
class MiniBatches {
public:
    /// @param rows of this rank
    /// @throws EngineError WrongUsage naming the numbers where something does not divide, or neither size is given.
    MiniBatches(const MiniBatchOptions& options, std::int64_t rows, int dataRank, int dataRanks);

    std::int64_t size() const { return m_size; }    ///< rows of a mini-batch on this rank
    std::int64_t count() const { return m_epochs * (m_rows / m_size); }  ///< of all epochs

    struct MiniBatch {
        std::vector<std::int64_t> rows;  ///< numbers of this rank's rows
        bool isLast = false;             ///< of all epochs: the learning rate goes on with it
    };

    /// Nothing after the last.
    std::optional<MiniBatch> next();

private:
    std::int64_t m_rows, m_size, m_epochs;
    std::uint64_t m_seed;
    bool m_shuffles;
    std::int64_t m_next = 0;
    std::vector<std::int64_t> m_order;  ///< of the epoch
};

}  // namespace engine
