// One unit of sharding: parameters that are gathered, used and reduced together, such as a transformer block.
#pragma once
#include "engine/shard/gathered_parameters.h"
#include "engine/shard/gradient_reduction.h"
#include "engine/shard/shard.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// [Note: frozen parameters]
/// A unit may have parameters of several kinds: some train, some belong to an adapter that only follows another, the others are
/// frozen. Each kind has a flat buffer of its own (partsOf()). The first kind, the one that trains where any does, is the unit
/// itself; the others are units of their own in frozenParts(), gathered and resharded with it. So frozen parameters have no
/// gradients, no reduction, no optimizer states and no EMA; and where checkpoints need not hold them, their shards have the
/// compute dtype. A rank alone gathers nothing then: its shard is the whole, and the parameters are views of it.

/// A shard, its gathered form and the reduction of its gradients. See [Note: unit lifecycle] in gathered_parameters.h.
/// Unless said otherwise, all ranks of the group call the same methods in the same order. One thread.
class Unit : public Shard {
public:
    using State = GatheredParameters::State;

    /// @param group the ranks that share the parameters; group and pool must outlive the unit
    /// @param seed of the initial weights; nullopt when they will be loaded: they are zero until then
    Unit(const UnitSpec& spec, Group& group, BufferPool& pool, UnitOptions options, std::optional<std::uint64_t> seed);
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

    /// The parameter at index @p declared of the UnitSpec that the unit was made of, whichever part holds it.
    Parameter& parameter(std::size_t declared) { return *m_declared[declared]; }
    /// The parameter at @p index of spec(), which lists this part only.
    Parameter& ownParameter(std::size_t index) { return m_parameters[index]; }

    /// See [Note: frozen parameters].
    const std::vector<std::unique_ptr<Unit>>& frozenParts() const { return m_frozenParts; }
    State state() const { return m_gathered.state(); }  ///< of this part
    at::ScalarType computeDtype() const { return m_computeDtype; }
    bool needsGather() const { return !m_gathered.isShardItself(); }  ///< false: the parameters of this part are its shard

    // Gathers this part and the frozen ones.
    void startGather(Weights weights);  ///< no-op when gathered or gathering
    void finishGather();                ///< starts a gather of the master weights if none has been started
    void reshard();                     ///< frees the gathered buffers
    void reshardUntilBackward();        ///< the same, but keeps this rank's part of them in the reshard group

    /// This rank's part of the gathered weights, which an optimizer updates along with master before it calls slotRefreshed();
    /// undefined when there is none. Of this part. See GatheredParameters.
    at::Tensor slotToRefresh() const { return m_gathered.slotToRefresh(); }
    void slotRefreshed() { m_gathered.refresh(); }

    /// The master weights of this part from all ranks, [layout().length()]. A copy.
    at::Tensor wholeMaster() const;
    /// Takes over this rank's shard of changed values of wholeMaster(); the next gather distributes them.
    void setWholeMaster(const at::Tensor& whole);

    /// Moves tensors of all parts to @p device without waiting for the copies; tensors that go to the host get pinned memory.
    /// No-op where shards stay on the host. Not a collective.
    void moveShards(c10::Device device, ShardParts parts);

    // Gradients of this part: see GradientReduction.
    void beginBackward() { m_gradients.begin(m_parameters); }
    void startReduce(Reduction reduction, Arena* arena = nullptr) { m_gradients.start(reduction, m_parameters, arena); }
    void finishReduce() { m_gradients.finish(); }
    void releaseReduced() { m_gradients.releaseBuffers(); }
    void finishGradients() { m_gradients.finishStep(); }
    void zeroGrad() { m_gradients.zero(); }
    double gradSquares() const { return m_gradients.squares(); }

private:
    Group& m_group;
    BufferPool& m_pool;
    at::ScalarType m_computeDtype;
    bool m_staysOnHost;
    GatheredParameters m_gathered;
    GradientReduction m_gradients;
    std::vector<Parameter> m_parameters;
    std::vector<std::unique_ptr<Unit>> m_frozenParts;
    std::vector<Parameter*> m_declared;
};

}  // namespace engine
