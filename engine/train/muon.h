// Muon for the matrices of blocks, AdamW for everything else.
#pragma once
#include "engine/train/adamw.h"
#include "engine/train/matrix_exchange.h"

namespace engine {

/// An orthogonal matrix near @p matrix's own: five Newton–Schulz iterations with Jordan's coefficients. Its singular
/// values lie between 0.7 and 1.2, whatever the scale of the input. @param matrix [rows, columns]
at::Tensor orthogonalized(const at::Tensor& matrix);

/// Floating-point operations of orthogonalized().
double orthogonalizationCost(std::int64_t rows, std::int64_t columns);

struct MuonOptions {
    double momentum = 0.95;
};

/// Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024), with Nesterov's momentum; the
/// update's root mean square matched to AdamW's, 0.2 · sqrt(larger side), and decoupled weight decay, as in Liu et al.,
/// "Muon is scalable for LLM training" (2025): one learning rate serves both. Its matrices are the two-dimensional
/// parameters of all units but the first, the root's remainder, which holds embeddings and heads. State "momentum",
/// 4 bytes a parameter. Each matrix is worked on by one rank: see [Note: matrices to owners].
class Muon final : public Optimizer {
public:
    /// @param group over which the units are sharded
    Muon(UnitSequence& units, Group& group, MuonOptions options, AdamWOptions others);
    void prepare(const OptimizerStep& step) override;
    void update(std::size_t unit, const OptimizerStep& step) override;

private:
    UnitSequence& m_units;
    Group& m_group;
    MuonOptions m_options;
    AdamWOptions m_others;
    MatrixExchange m_exchange;
    std::vector<LayoutPiece> m_momenta;  ///< where they lie in the state, by matrix; empty where this rank has none of it
};

}  // namespace engine
