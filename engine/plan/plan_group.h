// A group of ranks that do not exist: it communicates nothing and counts the memory that its buffers would take.
#pragma once
#include "engine/comm/group.h"

#include <cstdint>

namespace engine {

/// For tensors on the meta device only. It stands for rank 0; the ranks of a group hold equally much.
class PlanGroup final : public Group {
public:
    /// @param sharesMemory whether the ranks are those of one host, on the CPU
    PlanGroup(int size, bool sharesMemory)
        : Group(0, size)
        , m_sharesMemory(sharesMemory)
    {
    }

    bool sharesMemory() const override { return m_sharesMemory; }

    /// Bytes of the buffers allocated so far that are resident in a rank: also those of others whose gradients it adds up, where
    /// ranks share memory. See [Note: shared buffers].
    std::int64_t residentBytes() const { return m_residentBytes; }

    at::Tensor allocate(std::int64_t bytes, Sharing sharing, c10::Device device) override;
    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) override;
    Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what) override;
    Pending startAllReduce(const at::Tensor& values, const std::string& what) override;
    Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;
    Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;

protected:
    Pending startBarrier(const std::string& what) override;

private:
    bool m_sharesMemory;
    std::int64_t m_residentBytes = 0;
};

}  // namespace engine
