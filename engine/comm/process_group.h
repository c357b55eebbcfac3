// Collectives through c10d: Gloo across hosts, NCCL on GPUs.
#pragma once
#include "engine/comm/group.h"

#include <c10/util/intrusive_ptr.h>

namespace c10d {
class Backend;
}

namespace engine {

class ProcessGroup final : public Group {
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

private:
    c10::intrusive_ptr<c10d::Backend> m_backend;
};

}  // namespace engine
