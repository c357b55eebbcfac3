// Collectives over the ranks of one group, and the time that the caller waited for them.
#pragma once
#include "engine/comm/moment.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace engine {

/// A collective in progress. Its tensors must stay alive and unmodified until Group::wait() has returned.
class Pending {
public:
    struct Work {
        explicit Work(std::string name)
            : what(std::move(name))
        {
        }
        virtual ~Work() = default;
        virtual void wait() = 0;  ///< @throws EngineError
        std::string what;         ///< "all-gather of blocks.3"
    };
    Pending() = default;
    explicit Pending(std::unique_ptr<Work> work)
        : m_work(std::move(work))
    {
    }

private:
    friend class Group;
    std::unique_ptr<Work> m_work;
};

/// [Note: shared buffers]
/// Ranks of one host may share memory. A unit's gathered parameters then exist once for all of them, and each rank
/// reads the other ranks' gradients where they were computed: a collective only announces that data has been written.
/// Such memory comes from allocate(), which all ranks call with the same arguments in the same order. It may be
/// overwritten only when no rank reads it any more: each rank calls noteRelease() when it has finished reading a
/// buffer, and passes the returned ticket to awaitRelease() before it writes the buffer again.
enum class Sharing {
    None,       ///< memory of this rank alone
    OneCopy,    ///< one block of memory, used by all ranks
    OnePerRank  ///< each rank has its own block, which the other ranks can read
};

/// Every method except the getters, takeWaited(), onHost() and throwIfFailed() is a collective: all ranks of the group call the
/// same methods in the same order, from one thread. A collective that fails throws EngineError LostPeer, Timeout or OutOfMemory with its name
/// and subject; where wait() does not block the host, see throwIfFailed().
class Group {
public:
    Group(int rank, int size)
        : m_rank(rank)
        , m_size(size)
    {
    }
    virtual ~Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int rank() const { return m_rank; }
    int size() const { return m_size; }

    /// See [Note: shared buffers].
    virtual bool sharesMemory() const { return false; }
    virtual at::Tensor allocate(std::int64_t bytes, Sharing sharing, c10::Device device);  ///< [bytes] uint8
    /// Gives memory of allocate() back to the system, once all ranks have reached the release @p ticket; @p buffer and its views must
    /// not be used afterwards. No-op for memory of this rank alone, which is freed with its tensors.
    virtual void free(const at::Tensor& /*buffer*/, std::uint32_t /*ticket*/) { }
    virtual std::uint32_t noteRelease() { return 0; }  ///< @return the ticket for awaitRelease()
    void awaitRelease(std::uint32_t ticket);           ///< blocks until all ranks have reached this release

    /// In place: @p full is [size × n], and this rank's n elements are already in their slot.
    /// @param what the subject, for error messages and traces: "blocks.3".
    virtual Pending startAllGather(const at::Tensor& full, const std::string& what) = 0;

    /// Sum over ranks: @p full [size × n] → @p shard [n] of the same dtype. The contents of @p full are lost.
    /// SharedMemoryGroup throws std::logic_error: it supports startSum() only.
    virtual Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) = 0;

    /// Whether this group supports startSum().
    virtual bool supportsStartSum() const { return sharesMemory(); }

    /// Reduce-scatter that sums in float32 whatever the dtype of @p full, which is not changed. @p shard is float32.
    /// In a SharedMemoryGroup, @p full is memory of allocate() with Sharing::OnePerRank.
    /// @param adds the sum to @p shard instead of overwriting it
    virtual Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what);

    /// Sum over ranks in place.
    virtual Pending startAllReduce(const at::Tensor& values, const std::string& what) = 0;

    /// Slot p of @p in goes to rank p, into slot rank() of its @p out; both are [size × n], contiguous.
    virtual Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) = 0;

    /// Sends @p in to the next rank and receives @p out from the previous one, as in a ring; both are contiguous and of
    /// the same shape. Only one shift may be in progress.
    virtual Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) = 0;

    /// On CPU, blocks until the tensors are ready. On CUDA, makes the current stream wait for them.
    void wait(Pending& pending);

    /// Sum over ranks in place; returns after wait().
    void allReduceSum(const at::Tensor& values, const std::string& what);

    void barrier(const std::string& what);

    /// Copies @p values, a result of collectives, to the CPU, waits for it and calls throwIfFailed(). No copy if it is there.
    at::Tensor onHost(const at::Tensor& values) const;

    /// On CUDA wait() returns before the collective has run, so that its failure shows later. Throws what has failed until now.
    /// Not a collective. Call it when the host has waited for the device, before it relies on results.
    /// @throws EngineError LostPeer or Timeout.
    virtual void throwIfFailed() const { }

    /// Time spent in wait(), awaitRelease(), allReduceSum() and barrier() since the last call.
    WaitTime takeWaited();

protected:
    virtual Pending startBarrier(const std::string& what) = 0;
    virtual c10::DeviceType waitingDevice() const { return c10::DeviceType::CPU; }  ///< CPU: wait() blocks the host
    virtual void finishRelease(std::uint32_t /*ticket*/) { }

private:
    int m_rank;
    int m_size;
    WaitTime m_waited;
};

/// A group of one rank: its collectives copy data or do nothing.
class LoneGroup final : public Group {
public:
    LoneGroup()
        : Group(0, 1)
    {
    }
    bool sharesMemory() const override { return true; }
    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) override;
    Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what) override;
    Pending startAllReduce(const at::Tensor& values, const std::string& what) override;
    Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;
    Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;

protected:
    Pending startBarrier(const std::string& what) override;
};

}  // namespace engine
