// Collectives through c10d: Gloo across hosts, NCCL on GPUs.
#pragma once
#include "engine/comm/group.h"

#include <c10/util/intrusive_ptr.h>

#include <map>
#include <vector>

namespace c10d {
class Backend;
}

namespace engine {

class ProcessGroup : public Group {
public:
    explicit ProcessGroup(c10::intrusive_ptr<c10d::Backend> backend);
    ~ProcessGroup() override;

    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) override;
    Pending startAllReduce(const at::Tensor& values, const std::string& what) override;
    Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;
    Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;

protected:
    Pending startBarrier(const std::string& what) override;

    c10::intrusive_ptr<c10d::Backend> m_backend;
};

/// [Note: Gloo without copies]
/// c10d's own all-gather for Gloo gathers into a buffer and copies, and its reduce-scatter is a copy, an all-reduce and
/// another copy. Here each rank sends the others what they lack straight from where it lies to where it is needed; sums
/// are made by whoever keeps them, in float32 and in the order of ranks, while the parts travel in the dtype that they
/// were computed in: a quarter of the bytes for bfloat16, and the same sum.
class GlooGroup final : public ProcessGroup {
public:
    using ProcessGroup::ProcessGroup;

    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    bool addsUp() const override { return true; }
    Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what) override;

private:
    friend struct ReceivedParts;
    std::map<std::int64_t, std::vector<at::Tensor>> m_free;  ///< memory for parts, by bytes
};

}  // namespace engine
