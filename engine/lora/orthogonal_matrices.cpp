#include "engine/lora/orthogonal_matrices.h"

#include "engine/shard/random.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/mm.h>

namespace engine {
namespace {

constexpr double kOrthogonalScale = 0.1;  // PEFT's

at::Tensor normalMatrix(std::int64_t rows, std::int64_t columns, const std::string& stream, std::uint64_t seed)
{
    const at::Tensor values = at::empty({rows, columns}, at::kFloat);
    const std::string purpose = "weights/" + stream;
    fillNormal({values.data_ptr<float>(), static_cast<std::size_t>(values.numel())}, {.seed = seed, .purpose = purpose});
    return values;
}

}  // namespace

at::Tensor drawOrthogonal(const OrthogonalDraws& draws, std::int64_t rows, std::int64_t rank, std::uint64_t seed)
{
    const at::Tensor whole = std::get<0>(at::linalg_qr(normalMatrix(rank, rank, draws.pair, seed).to(at::kDouble))).to(at::kFloat);
    const at::Tensor half = whole.slice(0, draws.half == OrthogonalHalf::First ? 0 : 1, rank, 2);
    return at::mm(normalMatrix(rows, rank / 2, draws.own, seed), half).mul_(kOrthogonalScale);
}

}  // namespace engine
