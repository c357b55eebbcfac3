#include "engine/model/streamed_attention.h"

#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>

namespace engine {

StreamedAttention attendStreamed(
    const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale, bool isTraining)
{
    StreamedAttention result;
    if (q.is_cpu())
        std::tie(result.mixed, result.logSums)
            = at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0, false, {}, scale);
    else
        std::tie(result.mixed, result.logSums, result.seed, result.offset)
            = at::_scaled_dot_product_efficient_attention(q, k, v, {}, isTraining, 0, false, scale);
    return result;
}

AttentionGradients streamedBackward(const at::Tensor& gradient, const at::Tensor& q, const at::Tensor& k,
    const at::Tensor& v, const StreamedAttention& result, double scale)
{
    AttentionGradients d;
    at::Tensor none;
    if (q.is_cpu())
        std::tie(d.q, d.k, d.v) = at::_scaled_dot_product_flash_attention_for_cpu_backward(
            gradient, q, k, v, result.mixed, result.logSums, 0, false, {}, scale);
    else
        std::tie(d.q, d.k, d.v, none) = at::_scaled_dot_product_efficient_attention_backward(gradient, q, k, v, {},
            result.mixed, result.logSums, result.seed, result.offset, 0, {true, true, true, false}, false, scale);
    return d;
}

}  // namespace engine
