// Collectives of tensors on GPUs through the memory of their hosts.
#pragma once
#include "engine/comm/group.h"

#include <memory>

namespace engine {

/// Copies what it sends to the host, lets a group of CPU ranks exchange it, and copies what has arrived back: slow, but NCCL has no
/// place for several ranks on one GPU. Starting a collective waits for the GPU; wait() blocks the host.
class StagedGroup final : public Group {
public:
    /// @param host of the same ranks, whose collectives block in wait()
    explicit StagedGroup(std::unique_ptr<Group> host);

    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    Pending startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what) override;
    Pending startAllReduce(const at::Tensor& values, const std::string& what) override;
    Pending startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;
    Pending startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what) override;

protected:
    Pending startBarrier(const std::string& what) override;

private:
    struct Staged;

    std::unique_ptr<Group> m_host;
};

}  // namespace engine
