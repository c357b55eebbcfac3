#include "engine/optim/muon.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr int kIterations = 5;
constexpr std::size_t kMomentum = 2;  // after the two states of adamWStates()

/// Whether Muon trains this parameter.
bool isMatrix(std::size_t unit, const ParameterSpec& parameter)
{
    return (unit > 0 || parameter.isOfBlock) && parameter.shape.size() == 2 && parameter.isTrained;
}

std::vector<OwnedMatrix> matricesOf(UnitSequence& units, int ranks)
{
    std::vector<OwnedMatrix> matrices;
    std::vector<double> costs;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const auto& parameters = units[unit].spec().parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (!isMatrix(unit, parameters[i]))
                continue;
            const std::int64_t rows = parameters[i].shape[0], columns = parameters[i].shape[1];
            matrices.push_back({.unit = unit, .parameter = i, .rows = rows, .columns = columns});
            costs.push_back(orthogonalizationCost(rows, columns));
        }
    }
    const auto owners = balancedOwners(costs, ranks);
    for (std::size_t i = 0; i < matrices.size(); ++i)
        matrices[i].owner = owners[i];
    return matrices;
}

}  // namespace

at::Tensor orthogonalized(const at::Tensor& matrix)
{
    const bool isTall = matrix.size(0) > matrix.size(1);
    // bfloat16 is precise enough, and fast on GPUs.
    at::Tensor x = (isTall ? matrix.t() : matrix).to(matrix.is_cpu() ? at::kFloat : at::kBFloat16).contiguous();
    x = x / x.norm().clamp_min(1e-7);
    for (int i = 0; i < kIterations; ++i) {
        const at::Tensor gram = at::mm(x, x.t());
        const at::Tensor polynomial = at::addmm(gram, gram, gram, -4.7750, 2.0315);
        x = at::addmm(x, polynomial, x, 3.4445, 1);
    }
    return (isTall ? x.t() : x).to(matrix.scalar_type());
}

double orthogonalizationCost(std::int64_t rows, std::int64_t columns)
{
    const auto small = static_cast<double>(std::min(rows, columns)), large = static_cast<double>(std::max(rows, columns));
    return kIterations * (4 * small * small * large + 2 * small * small * small);
}

Muon::Muon(UnitSequence& units, Group& group, MuonOptions options, AdamWOptions others)
    : m_units(units)
    , m_group(group)
    , m_options(options)
    , m_others(others)
    , m_exchange(units, group, matricesOf(units, group.size()))
{
    for (std::size_t i = 0; i < units.size(); ++i) {
        Unit& unit = units[i];
        if (!unit.isTrained())
            continue;
        std::vector<bool> usesMuon, usesAdamW;
        for (const ParameterSpec& parameter : unit.spec().parameters) {
            usesMuon.push_back(isMatrix(i, parameter));
            usesAdamW.push_back(!usesMuon.back());
        }
        unit.optimizerStates = adamWStates(unit, usesAdamW);
        ShardState momentum {.name = "momentum", .covers = usesMuon};
        momentum.values = at::zeros({stateLength(momentum, unit.pieces())}, unit.gradShard.options());
        unit.optimizerStates.push_back(momentum);
    }
    for (const OwnedMatrix& matrix : m_exchange.matrices()) {
        const Unit& unit = units[matrix.unit];
        m_momenta.emplace_back();
        for (const LayoutPiece& piece : statePieces(unit.optimizerStates[kMomentum], unit.pieces())) {
            if (piece.tensor == matrix.parameter)
                m_momenta.back() = piece;
        }
    }
}

void Muon::prepare(const OptimizerStep& step)
{
    const auto& matrices = m_exchange.matrices();
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        auto [shardBegin, direction] = m_exchange.piece(i);
        const Unit& unit = m_units[matrices[i].unit];
        const at::Tensor gradient = unit.gradShard.narrow(0, shardBegin, direction.numel()) * step.gradScale;
        const at::Tensor momentum
            = unit.optimizerStates[kMomentum].values.narrow(0, m_momenta[i].shardBegin, m_momenta[i].count);
        momentum.lerp_(gradient, 1 - m_options.momentum);
        direction.copy_(at::lerp(gradient, momentum, m_options.momentum));
    }
    m_exchange.gather();
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (matrices[i].owner != m_group.rank())
            continue;
        const double scale = 0.2 * std::sqrt(static_cast<double>(std::max(matrices[i].rows, matrices[i].columns)));
        m_exchange.setFullMatrix(i, orthogonalized(m_exchange.fullMatrix(i)).mul_(scale));
    }
    m_exchange.scatter();
}

void Muon::update(std::size_t index, const OptimizerStep& step)
{
    Unit& unit = m_units[index];
    if (!unit.isTrained())
        return;
    updateAdamWPart(unit, m_others, step);
    const auto& matrices = m_exchange.matrices();
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (matrices[i].unit != index)
            continue;
        const auto& [shardBegin, direction] = m_exchange.piece(i);
        const double decay = unit.spec().parameters[matrices[i].parameter].isDecayed ? step.lr * m_others.weightDecay : 0;
        const at::Tensor master = unit.master.narrow(0, shardBegin, direction.numel());
        const at::Tensor weight = master.to(at::kFloat);  // no copy if it is float32 already
        weight.mul_(1 - decay).add_(direction.to(weight.device()), -step.lr);
        master.copy_(weight);
        updateEmaAndCopy(unit, shardBegin, direction.numel(), 1 - step.emaDecay);
    }
}

}  // namespace engine
