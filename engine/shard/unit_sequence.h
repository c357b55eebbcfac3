// The units of a model in the order of their use. Gathers run ahead of use in both directions, reductions behind backward.
// Unit 0 is the root: it stays gathered from the start of forward to the end of backward.
#pragma once
#include "engine/contract/experiment/unit_selection.h"
#include "engine/shard/arena.h"
#include "engine/shard/unit.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace engine {

struct SequenceOptions {
    bool reshardAfterForward = true;
    bool prefetch = true;
    bool reducesEachPass = true;  ///< false: gradients stay unsharded on each rank until the last pass of a step
    contract::UnitSelection recompute = {};       ///< units with activation checkpointing
    bool recomputesLayers = false;                ///< see Tape::makeDerived()
    contract::UnitSelection keepGathered = {};    ///< units that stay gathered after forward despite reshardAfterForward
    contract::UnitSelection computeInFloat = {};  ///< units that compute in float32
    /// Whether @p bytes more of gathered parameters fit on the device; null: always. See EvaluationScope.
    std::function<bool(std::int64_t bytes, c10::Device device)> fitsGathered = {};
    std::function<void()> onEvaluated = {};  ///< called after each pass of predict(), so that long evaluations can show that they go on
};

/// One thread. Methods that gather or reduce are collectives. A forward pass calls
///   begin(); for each block: enter(i) … exit(i)
/// and its backward
///   beginBackward(); for each block, last first: beginUnitBackward(i) … endUnitBackward(i); endBackward().
class UnitSequence {
public:
    /// @param seed of the initial weights; nullopt when they will be loaded
    UnitSequence(std::vector<UnitSpec> specs, Group& group, BufferPool& pool, UnitOptions unitOptions,
        SequenceOptions options, std::optional<std::uint64_t> seed);

    std::size_t size() const { return m_units.size(); }
    Unit& operator[](std::size_t index) { return *m_units[index]; }
    const std::vector<Unit*>& parts() const { return m_parts; }  ///< every unit, each followed by its frozen parts
    Arena& arena() { return m_arena; }  ///< memory for the values of a pass

    /// Gathers the root, and starts to gather unit 1.
    void begin();
    void enter(std::size_t index);  ///< unit @p index is gathered on return
    void exit(std::size_t index, bool isTraining);

    /// Says whether the next backward is the last before the optimizer's step. Initially true.
    void setLastBackward(bool isLast) { m_isLastBackward = isLast; }

    void beginBackward();
    void beginUnitBackward(std::size_t index);  ///< unit @p index is gathered on return, and its gradients may be written
    void endUnitBackward(std::size_t index);
    void endBackward();                         ///< after the last pass, every gradShard holds the sum over all ranks

    /// To be called when the optimizer has updated unit @p index, slotToRefresh() included. The backward of every rank must be
    /// over.
    void weightsChanged(std::size_t index);

    bool recomputesLayers() const { return m_options.recomputesLayers; }
    bool isRecomputed(std::size_t index) const { return m_policies[index].isRecomputed; }
    void zeroGrad();  ///< ends the use of all gradShards, which may lie in the arena; no pass may be under way
    void reshardAll();

    /// For samples and validation: until the scope ends, gathers read the given weights. Units stay gathered, so that later passes
    /// gather nothing; but where the whole model does not fit (SequenceOptions::fitsGathered) on some rank, they are gathered and
    /// freed one by one. The memory is given back at the end. Collective at both ends.
    class EvaluationScope {
    public:
        EvaluationScope(UnitSequence& sequence, Weights weights);
        ~EvaluationScope();
        EvaluationScope(const EvaluationScope&) = delete;
        EvaluationScope& operator=(const EvaluationScope&) = delete;

    private:
        UnitSequence& m_sequence;
        BufferPool::Reserve m_reserve;
    };

    /// Calls SequenceOptions::onEvaluated.
    void noteEvaluated() const
    {
        if (m_options.onEvaluated)
            m_options.onEvaluated();
    }

    /// The memory that the parameters of all units take on this host when they are gathered, in bytes.
    std::int64_t gatheredBytes() const;

private:
    void gatherAhead(std::size_t index);
    void finishReducing();  ///< finishes the reduction under way and frees the memory of the one before it
    bool keepsGathered(std::size_t index) const { return m_keepsAll || m_policies[index].isKeptGathered; }
    bool fitsOnAllRanks() const;

    struct Policy {
        bool isRecomputed = false, isKeptGathered = false;
    };
    Group& m_group;
    BufferPool& m_pool;
    std::vector<std::unique_ptr<Unit>> m_units;
    std::vector<Unit*> m_parts;
    std::vector<Policy> m_policies;
    SequenceOptions m_options;
    Arena m_arena;
    Weights m_weights = Weights::Master;
    bool m_keepsAll = false;
    bool m_isLastBackward = true;
    std::optional<std::size_t> m_reducing;  ///< the unit whose reduce-scatter is under way
    std::optional<std::size_t> m_releasing;  ///< the unit whose sum may still be being copied to the host
};

}  // namespace engine
