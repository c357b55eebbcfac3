// Gradients of a shard's parameters: from what layers write in backward to the sum over all ranks in gradShard.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/arena.h"
#include "engine/shard/buffer_pool.h"
#include "engine/shard/flat_storage.h"
#include "engine/shard/shard.h"

#include <optional>
#include <vector>

namespace engine {

/// What a backward pass does with its gradients.
enum class Reduction {
    None,   ///< adds them to unsharded float32 gradients on this rank
    Shard,  ///< adds the sum over the shard group to gradShard
    All     ///< the same, then sums over the replicas all that the passes of this step have left
};

/// [Note: memory of gradients]
/// A unit's gradients are summed when its backward has ended, and then nothing needs the values that its forward computed. Where a step has
/// one reduction, gradShard therefore takes the place of such values, until the optimizer has used it. It has memory of its own where there
/// is no room, where later passes add to it, and where shards stay in host memory.

/// Between begin() and start() a buffer of the pool collects gradients in the layout of the parameters; the reduce-scatter adds
/// the sum over ranks to Shard::gradShard. Replicas have equal weights and sum their gradShards once a step.
///
/// All methods are no-ops where nothing trains. All ranks of the group call them in the same order. One thread.
class GradientReduction {
public:
    /// Everything referred to must outlive this.
    GradientReduction(Shard& shard, Group& group, BufferPool& pool, const UnitOptions& options);

    /// The gradient of parameter @p index: a view whose data is valid from begin() to start().
    at::Tensor view(std::size_t index) const;

    void begin(std::vector<Parameter>& parameters);                       ///< gradients may be written from here on
    /// Gradients that nobody wrote are zero.
    /// @param arena with memory for what is needed until zero(); nullptr: none
    void start(Reduction reduction, std::vector<Parameter>& parameters, Arena* arena);
    void finish();          ///< waits; gradShard has the sum, and the replicas' exchange is under way after Reduction::All
    void releaseBuffers();  ///< after finish(), best with other work in between
    void finishStep();      ///< waits until gradShard has what the replicas contributed too
    void zero();            ///< ends the sums of this step; gradShard may lose its memory until the next start()

    /// Σ gradShard², after finishStep(), where gradShard is in host memory.
    double squares() const;

private:
    void provideShard(Arena* arena);
    void accumulateUnsharded();
    void startReduceScatter(const at::Tensor& gradients);
    void copyToHost();
    void releaseGradients();
    void release(at::Tensor& buffer, Sharing sharing);

    Shard& m_shard;
    Group& m_group;
    BufferPool& m_pool;
    at::ScalarType m_computeDtype, m_reduceDtype;
    Group* m_replicas;
    const CopyStream* m_copies;

    FlatStorage m_storage;
    std::vector<at::Tensor> m_gaps;    ///< padding of m_storage, which reductions read too
    at::Tensor m_gradBuffer;           ///< from the pool, between begin() and the end of the reduction
    at::Tensor m_unsharded;            ///< [length] float32: of passes that did not reduce; allocated by the first of them
    bool m_hasUnsharded = false;
    at::Tensor m_sendBuffer;           ///< gradients in reduceDtype, where that differs and memory is not shared
    at::Tensor m_receiveBuffer;        ///< memory of m_received
    at::Tensor m_received;             ///< [shardLength] of the reduce-scatter
    bool m_hasGrad = false;            ///< gradShard holds sums of this step
    bool m_keepsMemory = false;        ///< gradShard has memory of its own, for good
    bool m_isReducing = false;
    Reduction m_reduction = Reduction::All;
    Pending m_reduce, m_replicate;
    std::optional<double> m_squares;   ///< computed while the sum was in the cache

    // Where shards stay in host memory:
    at::Tensor m_arrival;              ///< [shardLength] of a pass whose gradients are to be added, allocated by the first
    bool m_isAdding = false;
    std::optional<CopyStream::Mark> m_copied;
};

}  // namespace engine
