#include "engine/algorithm/mini_batches.h"

#include "engine/comm/errors.h"
#include "engine/data/permutation.h"

#include <numeric>
#include <string>
#include <utility>

namespace engine {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw EngineError(EngineError::Kind::WrongUsage, sentence); }

std::int64_t divideExactly(std::int64_t number, std::int64_t divisor, const std::string& what, const std::string& by)
{
    if (divisor < 1 || number < 1 || number % divisor != 0)
        refuse(what + " (" + std::to_string(number) + ") cannot be divided by " + by + " (" + std::to_string(divisor)
            + ")");
    return number / divisor;
}

std::int64_t rankMiniBatch(const MiniBatchOptions& options, std::int64_t rows, int dataRanks)
{
    if (options.miniBatch == 0 && options.miniBatches == 0)
        refuse("neither the mini-batch size nor the number of mini-batches is given; set one of them");
    if (options.miniBatch == 0)
        return divideExactly(rows, options.miniBatches, "the rows of a rank", "the number of mini-batches");
    return divideExactly(options.miniBatch, dataRanks, "the rows of a mini-batch", "the data ranks");
}

}  // namespace

MiniBatches::MiniBatches(const MiniBatchOptions& options, std::int64_t rows, int dataRank, int dataRanks)
    : m_rows(rows)
    , m_size(rankMiniBatch(options, rows, dataRanks))
    , m_epochs(options.epochs)
    , m_seed(options.seed + static_cast<std::uint64_t>(dataRank))
    , m_shuffles(options.shuffles)
    , m_order(static_cast<std::size_t>(rows))
{
    divideExactly(rows, m_size, "the rows of a rank", "its part of a mini-batch");
    std::iota(m_order.begin(), m_order.end(), std::int64_t {0});
}

std::optional<MiniBatches::MiniBatch> MiniBatches::next()
{
    if (m_next == count())
        return std::nullopt;
    const std::int64_t perEpoch = m_rows / m_size, indexInEpoch = m_next % perEpoch;
    if (m_shuffles && indexInEpoch == 0)
        m_order = randomPermutation(m_rows, m_seed, static_cast<std::uint64_t>(m_next / perEpoch));
    const auto begin = m_order.begin() + indexInEpoch * m_size;
    ++m_next;
    return MiniBatch {{begin, begin + m_size}, m_next == count()};
}

}  // namespace engine
