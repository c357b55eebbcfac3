#include "engine/optim/matrix_exchange.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

/// Returns the range of a matrix in a rank's shard; its count is 0 when the rank holds none of it.
LayoutPiece pieceOf(const Unit& unit, std::size_t parameter, int rank)
{
    for (const LayoutPiece& piece : unit.layout().pieces(unit.layoutTensors(), rank)) {
        if (piece.tensor == parameter)
            return piece;
    }
    return {.tensor = parameter};
}

}  // namespace

std::vector<int> balancedOwners(const std::vector<double>& costs, int ranks)
{
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t {0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return costs[i]; });
    std::vector<double> load(static_cast<std::size_t>(ranks));
    std::vector<int> owners(costs.size());
    for (const std::size_t i : order) {
        const auto least = std::ranges::min_element(load);
        *least += costs[i];
        owners[i] = static_cast<int>(least - load.begin());
    }
    return owners;
}

MatrixExchange::MatrixExchange(UnitSequence& units, Group& group, std::vector<OwnedMatrix> matrices)
    : m_group(group)
    , m_matrices(std::move(matrices))
{
    const auto ranks = static_cast<std::size_t>(group.size());
    // For each matrix and rank: its position in the slot from that rank to the matrix's owner. Then the lengths of the slots.
    std::vector<std::int64_t> slotLengths(ranks * ranks);
    struct Place {
        std::int64_t begin, count;
    };
    std::vector<std::vector<Place>> places;
    for (const OwnedMatrix& matrix : m_matrices) {
        places.emplace_back();
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            std::int64_t& length = slotLengths[rank * ranks + static_cast<std::size_t>(matrix.owner)];
            const std::int64_t count = pieceOf(units[matrix.unit], matrix.parameter, static_cast<int>(rank)).count;
            places.back().push_back({length, count});
            length += count;
        }
    }
    const std::int64_t slot = *std::ranges::max_element(slotLengths);
    const auto options = at::TensorOptions().dtype(at::kFloat).device(units.arena().device());
    m_sharded = at::zeros({group.size() * slot}, options);
    m_owned = at::zeros({group.size() * slot}, options);

    const auto self = static_cast<std::size_t>(group.rank());
    m_parts.resize(m_matrices.size());
    for (std::size_t i = 0; i < m_matrices.size(); ++i) {
        const OwnedMatrix& matrix = m_matrices[i];
        const Place own = places[i][self];
        m_pieces.push_back({pieceOf(units[matrix.unit], matrix.parameter, group.rank()).shardBegin,
            m_sharded.narrow(0, matrix.owner * slot + own.begin, own.count)});
        if (matrix.owner != group.rank())
            continue;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            m_parts[i].push_back(
                m_owned.narrow(0, static_cast<std::int64_t>(rank) * slot + places[i][rank].begin, places[i][rank].count));
    }
}

void MatrixExchange::gather()
{
    Pending pending = m_group.startAllToAll(m_owned, m_sharded, "matrices to their owners");
    m_group.wait(pending);
}

at::Tensor MatrixExchange::fullMatrix(std::size_t matrix) const
{
    return at::cat(m_parts[matrix]).view({m_matrices[matrix].rows, m_matrices[matrix].columns});
}

void MatrixExchange::setFullMatrix(std::size_t matrix, const at::Tensor& value)
{
    const at::Tensor flat = value.reshape({-1});
    std::int64_t begin = 0;
    for (at::Tensor& part : m_parts[matrix]) {
        part.copy_(flat.narrow(0, begin, part.numel()));
        begin += part.numel();
    }
}

void MatrixExchange::scatter()
{
    Pending pending = m_group.startAllToAll(m_sharded, m_owned, "matrices from their owners");
    m_group.wait(pending);
}

}  // namespace engine
