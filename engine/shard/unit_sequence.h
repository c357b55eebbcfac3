// The units of a model in the order of their use: gathers ahead of use in both directions, reduces
// behind backward. Unit 0 is the root: it stays gathered from the start of forward to the end of backward.
#pragma once
#include "engine/contract/unit_selection.h"
#include "engine/shard/arena.h"
#include "engine/shard/unit.h"

#include <memory>
#include <optional>
#include <vector>

namespace engine {

struct SequenceOptions {
    bool reshardAfterForward = true;
    bool prefetch = true;
    bool reducesEachPass = true;      ///< else gradients stay whole on each rank until the last pass of a step
    contract::UnitSelection recompute = {};     ///< activation checkpointing
    contract::UnitSelection keepGathered = {};  ///< after forward, all the same
    contract::UnitSelection computeInFloat = {};
};

/// One thread; every method that gathers or reduces is a collective. A pass reads
///   begin(); for each block: enter(i) … exit(i)
/// and its way back
///   beginBackward(); for each block, last first: beginUnitBackward(i) … endUnitBackward(i); endBackward().
class UnitSequence {
public:
    /// @param seed as for Unit
    UnitSequence(std::vector<UnitSpec> specs, Group& group, BufferPool& pool, UnitOptions unitOptions,
        SequenceOptions options, std::optional<std::uint64_t> seed);

    std::size_t size() const { return m_units.size(); }
    Unit& operator[](std::size_t index) { return *m_units[index]; }
    const std::vector<Unit*>& parts() const { return m_parts; }  ///< every unit, each followed by those beside it
    Arena& arena() { return m_arena; }  ///< for the values of a pass

    /// Gathers the root and, ahead of use, unit 1.
    void begin();
    void enter(std::size_t index);  ///< unit @p index is gathered when it returns
    void exit(std::size_t index, bool isTraining);

    /// Whether the next backward is the last before the optimizer's step. True at first.
    void setLastBackward(bool isLast) { m_isLastBackward = isLast; }

    void beginBackward();
    void beginUnitBackward(std::size_t index);  ///< gathered, gradients may be written
    void endUnitBackward(std::size_t index);
    void endBackward();                         ///< after the last, every gradShard holds the sum over all

    /// The optimizer has changed the weights of unit @p index, its slotToRefresh() included, after every rank's
    /// backward was over.
    void weightsChanged(std::size_t index);

    bool isRecomputed(std::size_t index) const { return m_policies[index].isRecomputed; }
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

private:
    void gatherAhead(std::size_t index);
    void finishReducing();  ///< of the unit that reduces; the memory of the one before it is free
    bool keepsGathered(std::size_t index) const { return m_isEvaluating || m_policies[index].isKeptGathered; }

    struct Policy {
        bool isRecomputed = false, isKeptGathered = false;
    };
    std::vector<std::unique_ptr<Unit>> m_units;
    std::vector<Unit*> m_parts;
    std::vector<Policy> m_policies;
    SequenceOptions m_options;
    Arena m_arena;
    Weights m_weights = Weights::Master;
    bool m_isEvaluating = false;
    bool m_isLastBackward = true;
    std::optional<std::size_t> m_reducing;  ///< the unit whose reduce-scatter is under way
    std::optional<std::size_t> m_leaving;   ///< and the one whose sum may be on its way to the host
};

}  // namespace engine
