// One shard unit: its parameters' master shard, and the life of their gathered form and gradients.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/buffer_pool.h"
#include "engine/shard/copy_stream.h"
#include "engine/shard/flat_layout.h"
#include "engine/shard/parameter.h"
#include "engine/shard/shard_state.h"

#include <c10/core/Storage.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

struct UnitOptions {
    at::ScalarType computeDtype = at::kFloat;  ///< of gathered parameters and their gradients
    at::ScalarType reduceDtype = at::kFloat;   ///< in which gradients travel
    at::ScalarType trainedDtype = at::kFloat;  ///< of the master weights that train
    bool keepsAverage = true;                  ///< a moving average of the weights beside them
    std::int64_t stateBlock = 1;               ///< of block-wise optimizer states, which no two ranks share
    Group* replicas = nullptr;                 ///< ranks with the same shard; outlives the unit
    Group* regroup = nullptr;                  ///< ranks that keep parameters among them after forward; likewise
    bool storesFrozen = true;                  ///< else the model's own frozen parameters come from a folder at every start
    const CopyStream* copies = nullptr;        ///< given, shards lie in host memory; see [Note: shards on the host]
};

/// What a backward pass does with its gradients.
enum class Reduction {
    None,   ///< adds them to whole float32 gradients on this rank
    Shard,  ///< adds the sum over the shard group to gradShard
    All     ///< the same, and then over the replicas: of what all passes have left so far
};

/// What of a shard is meant; weights are master and the average.
struct ShardParts {
    bool weights = true, gradients = true, optimizer = true;
};

/// [Note: shards on the host]
/// With UnitOptions::copies a rank's shards, master, gradients and the optimizer's states, stay in (pinned) host memory,
/// where the optimizer updates them, and the device holds what is gathered only. A gather copies the shard in the compute
/// dtype to its slot first, and what a reduction brings is copied to gradShard; both beside compute. Then replicas add up
/// each pass, on the device.

/// Which shard a gather reads.
enum class Weights { Master, Ema };  // Ema where there is one

/// [Note: frozen parameters]
/// A unit may have parameters of several kinds: some train, some belong to an adapter that only follows another, the others
/// are frozen. Each kind lies in a flat buffer of its own (partsOf()): the first in the unit itself, which is the one that
/// trains where any does, the others in units beside it that are gathered and resharded with it. So what does not train
/// costs no gradients, no reduction, no optimizer states and no average; and where checkpoints need not hold it, its shards
/// have the compute dtype. A rank alone gathers nothing then: its shard is the whole, and parameters are views of that.

/// [Note: unit lifecycle]
/// Sharded    this rank holds its float32 shards only
/// Gathering  a pool buffer is being filled by an all-gather
/// Gathered   parameters are views of that buffer: no copy-out
/// Parameter tensors are made once; only the memory behind their storage comes and goes, so that what
/// a pass remembers of forward is valid again after the gather of backward.
/// Gradients: between beginBackward and startReduce a second pool buffer collects them in the layout of the
/// parameters; the reduce-scatter adds the sum over ranks to gradShard. A regroup, of fewer ranks, may keep the gathered
/// form in larger parts between forward and backward; where memory is shared that would save nothing. Replicas have equal weights, and add up
/// gradShard once a step.
class Unit {
public:
    enum class State { Sharded, Gathering, Gathered };

    /// Draws the initial weights of this rank's shard only; equal on any number of ranks.
    /// @param group, pool outlive the unit.
    /// @param seed of the weights; nullopt for who loads them all: they are zero till then
    Unit(const UnitSpec& spec, Group& group, BufferPool& pool, UnitOptions options, std::optional<std::uint64_t> seed);
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

    const std::string& name() const { return m_spec.name; }
    bool isTrained() const { return m_isTrained; }  ///< else it has neither gradients nor an average
    const std::vector<std::unique_ptr<Unit>>& beside() const { return m_beside; }  ///< see [Note: frozen parameters]

    /// By its number among all parameters that the unit was made of, in whatever part it lies.
    Parameter& parameter(std::size_t declared) { return *m_declared[declared]; }

    // Of this part alone:
    const UnitSpec& spec() const { return m_spec; }
    const FlatLayout& layout() const { return m_layout; }
    const std::vector<LayoutTensor>& layoutTensors() const { return m_layoutTensors; }
    State state() const { return m_state; }
    int rank() const { return m_group.rank(); }  ///< of the shard
    std::vector<LayoutPiece> pieces() const { return m_layout.pieces(m_layoutTensors, rank()); }
    Parameter& ownParameter(std::size_t index) { return m_parameters[index]; }  ///< of spec()

    /// Takes this rank's part of a whole parameter into master (and not into ema).
    /// @param whole float32, of the parameter's shape, on the CPU
    void setMaster(std::size_t index, const at::Tensor& whole);

    // Collectives, with the units beside it: all ranks call them in the same order.
    void startGather(Weights weights);  ///< nothing when gathered or under way
    void finishGather();                ///< starts one first when there is none
    void reshard();                     ///< frees the gathered buffer
    void reshardUntilBackward();        ///< the same, but keeps this rank's part of it in the regroup

    /// This rank's part of the gathered buffer, undefined when there is none: who changes master writes the new
    /// weights here too, when no rank reads them any more, and then tells it.
    at::Tensor slotToRefresh() const;
    void slotRefreshed();
    void masterReplaced();  ///< by other hands than an optimizer's: a load. Of this part

    /// This part's master weights of all ranks, [layout().length()]. Collective. @return a copy
    at::Tensor wholeMaster() const;
    /// Takes this rank's shard of what wholeMaster() gave, with changes; the next gather brings them. Collective.
    void setWholeMaster(const at::Tensor& whole);

    /// Moves what is meant to @p device at once, the host's copies into pinned memory. Nothing where shards stay on the host.
    void moveShards(c10::Device device, ShardParts parts);

    void beginBackward();               ///< gradients may be written from here on
    void startReduce(Reduction reduction);  ///< gathers up gradients, zero where none came
    void finishReduce();                ///< gradShard has them, on the way to the replicas after Reduction::All
    void releaseReduced();              ///< after finishReduce, best with other work in between
    void finishGradients();             ///< gradShard has what the replicas had too
    void zeroGrad();                    ///< the next finishReduce replaces gradShard
    double gradSquares() const;         ///< Σ gradShard², after finishGradients, where it lies on the CPU

    at::ScalarType computeDtype() const { return m_options.computeDtype; }

    // [shardLength] each, float32 but for master (see masterDtype); ema is undefined without keepsAverage. gradShard
    // holds sums over ranks and micro-batches, and nothing before the first; it is empty where nothing trains.
    at::Tensor master, ema, gradShard;
    std::vector<ShardState> optimizerStates;  ///< what the optimizer keeps; the same kinds on every rank

    /// All that a checkpoint holds of this part's shard: "model", "ema" where there is one, and the optimizer's; nothing of
    /// frozen parameters that a folder brings.
    std::vector<ShardState> storedStates() const;

private:
    bool isStored() const { return m_isTrained || m_options.storesFrozen || !m_spec.parameters.front().adapter.empty(); }
    at::ScalarType masterDtype() const;
    at::Tensor makeShard(at::ScalarType dtype) const;
    void reshardOwn();
    void makeOwn(UnitSpec spec, std::optional<std::uint64_t> seed);
    void makeParameters();
    void initialise(std::optional<std::uint64_t> seed);
    void draw(std::uint64_t seed, float* shard) const;
    void attach(const c10::Storage& storage, const at::Tensor& buffer);
    void dropKept();
    bool isWholeHere() const;  ///< the shard may stand for the gathered buffer
    void gatherSlot(Weights weights);
    void waitForGather();
    void sendHome();
    void startReduceScatter(const at::Tensor& gradients);
    void accumulateWhole();
    void releaseGradients();
    void giveBack(at::Tensor& buffer, Sharing sharing);

    UnitSpec m_spec;
    Group& m_group;
    BufferPool& m_pool;
    UnitOptions m_options;
    std::vector<LayoutTensor> m_layoutTensors;
    FlatLayout m_layout;

    State m_state = State::Sharded;
    c10::Storage m_storage;      ///< behind every parameter; its memory comes and goes
    c10::Storage m_gradStorage;
    at::Tensor m_flat;           ///< [length] over m_storage
    at::Tensor m_slot;           ///< this rank's part of m_flat
    at::Tensor m_flatGrad;
    std::vector<at::Tensor> m_gradGaps;  ///< padding of m_flatGrad
    at::Tensor m_buffer;         ///< from the pool while not Sharded
    at::Tensor m_kept;           ///< [length / ranks of the regroup], between forward and backward
    at::Tensor m_gradBuffer;
    at::Tensor m_wholeGrad;      ///< [length] float32: of the passes that did not reduce, once there was one
    bool m_hasWholeGrad = false;
    // Where memory is not shared:
    at::Tensor m_reduceBuffer;   ///< gradients in reduceDtype, when that differs
    at::Tensor m_reducedBuffer;  ///< [shardLength] of the reduce-scatter's result
    at::Tensor m_reduced;
    bool m_isTrained = true;
    // Where shards lie on the host:
    at::Tensor m_hostSlot;       ///< [shardLength] master in the compute dtype
    at::Tensor m_arrival;        ///< [shardLength] of a pass whose gradients are to be added, once there was one
    bool m_isAdding = false;
    std::optional<CopyStream::Mark> m_broughtSlot, m_sentHome;
    bool m_hasGrad = false;
    bool m_isReducing = false;
    std::optional<double> m_gradSquares;  ///< taken while the sum was in the cache
    Reduction m_reduction = Reduction::All;
    Pending m_gather;
    Pending m_reduce;
    Pending m_replicate;
    std::vector<Parameter> m_parameters;
    std::vector<std::unique_ptr<Unit>> m_beside;
    std::vector<Parameter*> m_declared;
};

}  // namespace engine
