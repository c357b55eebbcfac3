#include "engine/shard/squares.h"

#include "engine/kernels/cpu/processor.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>

#include <numeric>
#include <vector>

namespace engine {
namespace {

ATELIER_MULTIVERSION
double squaresOf(const float* values, std::int64_t count)
{
    double lanes[8] = {};  // fixed order: the same sum on every machine
    const std::int64_t whole = count / 8 * 8;
    for (std::int64_t i = 0; i < whole; i += 8) {
        for (std::int64_t lane = 0; lane < 8; ++lane) {
            const double value = values[i + lane];
            lanes[lane] += value * value;
        }
    }
    double sum = std::accumulate(std::begin(lanes), std::end(lanes), 0.0);
    for (std::int64_t i = whole; i < count; ++i)
        sum += static_cast<double>(values[i]) * values[i];
    return sum;
}

}  // namespace

double sumOfSquares(const at::Tensor& shard)
{
    // Pieces of fixed length: the same sum with any number of threads.
    constexpr std::int64_t kPiece = 1 << 18;
    const float* const values = shard.const_data_ptr<float>();
    const std::int64_t count = shard.numel();
    std::vector<double> sums(static_cast<std::size_t>((count + kPiece - 1) / kPiece));
    at::parallel_for(0, static_cast<std::int64_t>(sums.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t piece = begin; piece < end; ++piece)
            sums[static_cast<std::size_t>(piece)]
                = squaresOf(values + piece * kPiece, std::min(kPiece, count - piece * kPiece));
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

at::Tensor sumOfSquares(at::TensorList shards)
{
    return at::stack(at::_foreach_norm(shards)).to(at::kDouble).square().sum();
}

}  // namespace engine
