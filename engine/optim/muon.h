// Muon for the matrices in blocks, AdamW for all other parameters.
#pragma once
#include "engine/optim/adamw.h"
#include "engine/optim/matrix_exchange.h"

namespace engine {

/// Returns an approximately orthogonal matrix close to @p matrix, by five Newton–Schulz iterations with Jordan's coefficients.
/// Its singular values are between 0.7 and 1.2 for any scale of the input. @param matrix [rows, columns]
at::Tensor orthogonalized(const at::Tensor& matrix);

/// Returns the number of floating-point operations of orthogonalized().
double orthogonalizationCost(std::int64_t rows, std::int64_t columns);

struct MuonOptions {
    double momentum = 0.95;
};

/// Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024), with Nesterov momentum. As in Liu et al.,
/// "Muon is scalable for LLM training" (2025), updates are scaled by 0.2 · sqrt(larger side) to match the RMS of AdamW's
/// updates, so that both share one learning rate, and weight decay is decoupled. Muon trains the two-dimensional parameters of
/// blocks; AdamW trains all others, such as embeddings and heads in the first unit (the root). Muon's state is "momentum", 4
/// bytes per parameter. Each matrix is processed by one rank: see [Note: matrices to owners].
class Muon final : public Optimizer {
public:
    /// @param group the group over which the units are sharded
    /// @param others options of AdamW for all other parameters
    Muon(UnitSequence& units, Group& group, MuonOptions options, AdamWOptions others);
    void prepare(const OptimizerStep& step) override;
    void update(std::size_t unit, const OptimizerStep& step) override;

private:
    UnitSequence& m_units;
    Group& m_group;
    MuonOptions m_options;
    AdamWOptions m_others;
    MatrixExchange m_exchange;
    std::vector<LayoutPiece> m_momenta;  ///< by matrix: this rank's range in the momentum state; empty if it has none
};

}  // namespace engine
