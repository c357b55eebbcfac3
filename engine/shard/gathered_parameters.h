// The gathered form of a shard: parameters whole on this rank, in the compute dtype, for as long as a pass needs them.
#pragma once
#include "engine/comm/group.h"
#include "engine/shard/buffer_pool.h"
#include "engine/shard/flat_storage.h"
#include "engine/shard/shard.h"

#include <optional>

namespace engine {

/// [Note: unit lifecycle]
/// Sharded    this rank holds its shard only
/// Gathering  an all-gather is filling a buffer of the pool
/// Gathered   the parameters are views of that buffer: nothing is copied out of it
/// Parameter tensors are made once (FlatStorage); only the memory behind them comes and goes. A reshard group, of fewer ranks,
/// may keep the gathered parameters in larger parts between forward and backward; where ranks share memory this would save
/// nothing and is not done.
///
/// Methods that gather or free are collectives: all ranks of the group call them in the same order. One thread.
class GatheredParameters {
public:
    enum class State { Sharded, Gathering, Gathered };

    /// Everything referred to must outlive this.
    GatheredParameters(const Shard& shard, Group& group, BufferPool& pool, const UnitOptions& options);

    State state() const { return m_state; }

    /// Parameter @p index of the shard: a view whose data is valid while Gathered.
    at::Tensor view(std::size_t index) const;

    void start(Weights weights);   ///< no-op unless Sharded
    void finish();                 ///< waits for a gather that has been started
    void free();                   ///< back to Sharded, whatever the state
    void freeUntilBackward();      ///< the same, but keeps this rank's part of it in the reshard group

    /// This rank's part of the gathered buffer, or of the copy that a gather uploads; undefined when there is none. Whoever
    /// updates the master weights writes them here too, in the compute dtype, and then calls refresh().
    at::Tensor slotToRefresh() const;
    void refresh();                ///< gathers the new weights; no rank may still read the old ones

    /// Whether the shard itself is the gathered form: a rank alone, frozen weights, the same dtype and device.
    bool isShardItself() const;

private:
    void gatherSlot(Weights weights);
    void wait();
    void releaseKept();

    const Shard& m_shard;
    Group& m_group;
    BufferPool& m_pool;
    at::ScalarType m_dtype;
    Group* m_reshardGroup;
    const CopyStream* m_copies;

    State m_state = State::Sharded;
    FlatStorage m_storage;
    at::Tensor m_slot;    ///< [shardLength] this rank's part of m_storage
    at::Tensor m_buffer;  ///< from the pool while not Sharded
    at::Tensor m_kept;    ///< [length / ranks of the reshard group], between forward and backward
    Pending m_pending;
    std::optional<CopyStream::Mark> m_uploaded;
};

}  // namespace engine
