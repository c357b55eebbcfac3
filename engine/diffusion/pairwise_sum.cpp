#include "engine/diffusion/pairwise_sum.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

namespace engine {

at::Tensor pairwiseSum(at::Tensor x, std::int64_t dim)
{
    while (x.size(dim) > 1) {
        const std::int64_t half = x.size(dim) / 2;
        const at::Tensor sums = x.narrow(dim, 0, half) + x.narrow(dim, half, half);
        x = x.size(dim) % 2 == 0 ? sums : at::cat({sums, x.narrow(dim, 2 * half, 1)}, dim);
    }
    return x.squeeze(dim);
}

at::Tensor pairwiseRowMeans(const at::Tensor& x)
{
    const at::Tensor flat = x.reshape({x.size(0), -1});
    return pairwiseSum(flat, 1) / static_cast<double>(flat.size(1));
}

}  // namespace engine
