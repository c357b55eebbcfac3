#include "engine/weights/divided_reading.h"

#include <ATen/ops/constant_pad_nd.h>

namespace engine {

void readDivided(const at::Tensor& values, Group& replicas, c10::Device device, const ReadRange& read)
{
    const std::int64_t length = values.numel();
    if (length == 0)
        return;
    if (replicas.size() == 1) {
        read(0, values);
        return;
    }
    const at::Tensor onDevice = values.to(device);
    const std::int64_t part = (length + replicas.size() - 1) / replicas.size();
    const std::int64_t excess = part * replicas.size() - length;
    const at::Tensor all = excess == 0 ? onDevice : at::constant_pad_nd(onDevice, {0, excess});
    const std::int64_t begin = part * replicas.rank();
    read(begin, all.narrow(0, begin, part));
    Pending pending = replicas.startAllGather(all, "loaded shards");
    replicas.wait(pending);
    if (!all.is_same(values))
        at::Tensor(values).copy_(all.narrow(0, 0, length));
}

}  // namespace engine
