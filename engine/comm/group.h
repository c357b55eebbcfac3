// Collectives over the ranks of one group, with the time that compute waited for them.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace c10d {
class Backend;
class Work;
}

namespace engine {

/// A collective under way. Its tensors must stay alive and untouched until wait() has returned.
class Pending {
public:
    Pending();
    Pending(c10::intrusive_ptr<c10d::Work> work, std::string what);
    Pending(Pending&&) noexcept;
    Pending& operator=(Pending&&) noexcept;
    ~Pending();

private:
    friend class Group;
    struct Started;  // hides c10d from those who include this
    std::unique_ptr<Started> m_started;
};

/// Every method is a collective: all ranks of the group call the same ones in the same order, from one
/// thread. A failed collective throws EngineError LostPeer naming the collective and what it was for.
class Group {
public:
    Group();  ///< a single rank: collectives are copies or nothing
    explicit Group(c10::intrusive_ptr<c10d::Backend> backend);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int rank() const { return m_rank; }
    int size() const { return m_size; }

    /// In place: @p full is [size × n], and this rank's n elements are already in their slot.
    /// @param what for the message: "blocks.3".
    Pending startAllGather(const at::Tensor& full, const std::string& what);

    /// Sum over ranks: @p full [size × n] → @p shard [n] of the same dtype. @p full is destroyed.
    Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what);

    /// On CPU: the tensors are ready. On CUDA: the current stream waits for them.
    void wait(Pending& pending);

    /// Sum over ranks in place; waits.
    void allReduceSum(const at::Tensor& values, const std::string& what);

    void barrier(const std::string& what);

    /// Milliseconds spent in wait(), allReduceSum() and barrier() since the last call.
    double takeWaitedMs();

private:
    c10::intrusive_ptr<c10d::Backend> m_backend;
    int m_rank = 0;
    int m_size = 1;
    std::chrono::steady_clock::duration m_waited {};
};

}  // namespace engine
