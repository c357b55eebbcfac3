// Collectives over the ranks of one group, with the time that compute waited for them.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace engine {

/// A collective under way. Its tensors must stay alive and untouched until Group::wait() has returned.
class Pending {
public:
    struct Work {
        explicit Work(std::string name)
            : what(std::move(name))
        {
        }
        virtual ~Work() = default;
        virtual void wait() = 0;  ///< @throws EngineError LostPeer
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
/// Ranks of one host may share memory. Then a unit's gathered parameters exist once for all of them, and each
/// rank reads the others' gradients where they were computed; a collective is just the news that something was
/// written. Such memory comes from allocate() (the same calls in the same order on every rank), and may be
/// written anew only when no rank reads it any more: who is done with a buffer says noteRelease(), and who
/// wants to write it calls awaitRelease() with what the former returned.
enum class Sharing {
    None,
    OneCopy,    ///< the same memory for all ranks
    OnePerRank  ///< each its own, which the others can read
};

/// Every method but rank(), size() and the times is a collective: all ranks of the group call the same ones in
/// the same order, from one thread. A failed one throws EngineError LostPeer naming it and what it was for.
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
    virtual std::uint32_t noteRelease() { return 0; }
    void awaitRelease(std::uint32_t ticket);

    /// In place: @p full is [size × n], and this rank's n elements are already in their slot.
    /// @param what for the message: "blocks.3".
    virtual Pending startAllGather(const at::Tensor& full, const std::string& what) = 0;

    /// Sum over ranks: @p full [size × n] → @p shard [n] of the same dtype. @p full is destroyed.
    virtual Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) = 0;

    /// Whether startSum works.
    virtual bool addsUp() const { return sharesMemory(); }

    /// The same in float32 whatever the dtype of @p full, which is left as it is.
    /// @param adds to @p shard instead of writing it
    virtual Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what);

    /// Sum over ranks in place.
    virtual Pending startAllReduce(const at::Tensor& values, const std::string& what) = 0;

    /// Slot p of @p in goes to rank p, whose slot in @p out is this rank's number; both are [size × n], contiguous.
    virtual Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) = 0;

    /// @p in goes to the next rank, @p out comes from the one before; both contiguous and of one shape. One at a
    /// time.
    virtual Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) = 0;

    /// On CPU: the tensors are ready. On CUDA: the current stream waits for them.
    void wait(Pending& pending);

    /// Sum over ranks in place; waits.
    void allReduceSum(const at::Tensor& values, const std::string& what);

    void barrier(const std::string& what);

    /// Milliseconds spent in wait(), awaitRelease(), allReduceSum() and barrier() since the last call.
    double takeWaitedMs();

protected:
    virtual Pending startBarrier(const std::string& what) = 0;
    virtual void finishRelease(std::uint32_t /*ticket*/) { }

private:
    int m_rank;
    int m_size;
    std::chrono::steady_clock::duration m_waited {};
};

/// A single rank: collectives are copies or nothing.
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
