// Collectives through c10d: Gloo on CPU, NCCL on GPUs.
#pragma once
#include "engine/comm/group.h"

#include <c10/util/intrusive_ptr.h>

#include <chrono>
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

/// [Note: failures of NCCL]
/// A collective of NCCL is a kernel: wait() makes the stream wait, and the host goes on. c10d's watchdog thread notices a lost
/// connection or a timeout; the CUDA module tells it to abort the communicators and to leave the process alone. That ends
/// kernels that would wait for ever, so that the host's next wait for the device returns; the results are garbage.
/// throwIfFailed() then reports what the watchdog found, and later collectives fail when they are started.
class NcclGroup final : public ProcessGroup {
public:
    /// @param timeout for messages @param device on whose stream the collectives run
    NcclGroup(c10::intrusive_ptr<c10d::Backend> backend, std::chrono::milliseconds timeout,
        c10::DeviceType device = c10::DeviceType::CUDA);

    void throwIfFailed() const override;

protected:
    Pending startBarrier(const std::string& what) override;
    c10::DeviceType waitingDevice() const override { return m_device; }

private:
    std::chrono::milliseconds m_timeout;
    c10::DeviceType m_device;
};

/// [Note: Gloo without copies]
/// c10d's own all-gather for Gloo gathers into a buffer and copies it, and its reduce-scatter is a copy, an all-reduce
/// and another copy. Here each rank sends its data from the source tensor directly into the receiver's tensor. Each rank
/// computes the sum that it keeps, in float32 and in rank order, while the parts are sent in the dtype in which they were
/// computed: a quarter of the bytes for bfloat16, and the same sum.
class GlooGroup final : public ProcessGroup {
public:
    using ProcessGroup::ProcessGroup;

    Pending startAllGather(const at::Tensor& full, const std::string& what) override;
    bool supportsStartSum() const override { return true; }
    Pending startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what) override;

private:
    friend struct ReceivedParts;
    std::map<std::int64_t, std::vector<at::Tensor>> m_freeBuffers;  ///< receive buffers to reuse, by bytes
};

}  // namespace engine
