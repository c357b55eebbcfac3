#include "engine/shard/upload.h"

#include <ATen/ops/empty.h>

namespace engine {

at::Tensor uploaded(const at::Tensor& values, c10::Device device)
{
    if (!values.defined() || values.device() == device)
        return values;
    // Its memory comes from a cache of LibTorch's, which reuses it when the copy is done.
    const at::Tensor staged = at::empty(values.sizes(), values.options().pinned_memory(device.is_cuda()));
    staged.copy_(values);
    return staged.to(device, /*non_blocking=*/true);
}

}  // namespace engine
