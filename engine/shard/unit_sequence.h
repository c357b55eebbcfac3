// The units of a model in the order of their use: gathers ahead of use in both directions, reduces
// behind backward. Unit 0 is the root: it stays gathered from the start of forward to the end of backward.
#pragma once
#include "engine/shard/unit.h"

#include <memory>
#include <optional>
#include <vector>

namespace engine {

struct SequenceOptions {
    bool reshardAfterForward = true;
    bool prefetch = true;
};

/// One thread; every method that gathers or reduces is a collective. A model's forward reads
///   begin(); for each block: enter(i, tensors) … exit(i, tensor)
/// and, when gradients are on, backward() then runs the mirror image by itself.
class UnitSequence {
public:
    UnitSequence(std::vector<UnitSpec> specs, Group& group, BufferPool& pool, UnitOptions unitOptions,
        SequenceOptions options, std::uint64_t seed);

    std::size_t size() const { return m_units.size(); }
    Unit& operator[](std::size_t index) { return *m_units[index]; }

    /// Gathers the root and, ahead of use, unit 1.
    void begin();

    /// Before unit @p index computes. The tensors that its computation starts from go through here, so that
    /// their gradients are complete exactly when the unit's backward is over.
    std::vector<at::Tensor> enter(std::size_t index, std::vector<at::Tensor> inputs);

    /// After it; the tensor that its computation ended in goes through here.
    at::Tensor exit(std::size_t index, const at::Tensor& output);

    /// Backward from a scalar loss; when it returns, every gradShard holds the sum so far.
    void backward(const at::Tensor& loss);

    void zeroGrad();
    void reshardAll();

    /// Gathers read the moving average instead of the master weights, and stay gathered, until the scope
    /// ends: for samples and validation. Collective at both ends.
    class EvaluationScope {
    public:
        EvaluationScope(UnitSequence& sequence, Weights weights);
        ~EvaluationScope();
        EvaluationScope(const EvaluationScope&) = delete;
        EvaluationScope& operator=(const EvaluationScope&) = delete;

    private:
        UnitSequence& m_sequence;
    };

    // For the autograd nodes.
    void beginUnitBackward(std::size_t index);
    void endUnitBackward(std::size_t index);

private:
    void gatherAhead(std::size_t index);
    bool keepsGathered() const { return m_isEvaluating || !m_options.reshardAfterForward; }

    std::vector<std::unique_ptr<Unit>> m_units;
    SequenceOptions m_options;
    Weights m_weights = Weights::Master;
    bool m_isEvaluating = false;
    std::optional<std::size_t> m_reducing;  ///< the unit whose reduce-scatter is under way
};

}  // namespace engine
