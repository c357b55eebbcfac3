#include "engine/nn/attention/streamed_attention.h"

#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/empty.h>

#include <optional>
#include <tuple>

namespace engine {
namespace {

/// The bias in the shape that LibTorch's kernels expect; nullopt if it is undefined.
std::optional<at::Tensor> biasFor(const at::Tensor& keyBias, const at::Tensor& q, const at::Tensor& k)
{
    if (!keyBias.defined())
        return std::nullopt;
    const std::int64_t batch = k.size(0), keys = k.size(2);
    if (q.is_cpu())
        return keyBias.view({batch, 1, 1, keys});
    // The CUDA kernel needs rows aligned to 16 elements, in the dtype of the queries and the full shape of the scores.
    const at::Tensor aligned = at::empty({batch, 1, 1, (keys + 15) / 16 * 16}, q.options()).narrow(3, 0, keys);
    return aligned.copy_(keyBias.view({batch, 1, 1, keys})).expand({batch, q.size(1), q.size(2), keys});
}

}  // namespace

StreamedAttention attendStreamed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale,
    LogSums logSums, const at::Tensor& keyBias, AttentionKernel kernel)
{
    StreamedAttention result;
    const bool needsLogSums = logSums == LogSums::Computed;
    const std::optional<at::Tensor> bias = biasFor(keyBias, q, k);
    if (q.is_cpu()) {
        std::tie(result.mixed, result.logSums)
            = at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0, false, bias, scale);
    } else if (kernel == AttentionKernel::Flash) {
        auto all = at::_scaled_dot_product_flash_attention(q, k, v, 0, false, false, scale);
        result = {std::get<0>(all), std::get<1>(all), std::get<6>(all), std::get<7>(all)};
    } else if (kernel == AttentionKernel::Cudnn) {
        auto all = at::_scaled_dot_product_cudnn_attention(q, k, v, std::nullopt, needsLogSums, 0, false, false, scale);
        result = {std::get<0>(all), std::get<1>(all), std::get<6>(all), std::get<7>(all)};
    } else {
        std::tie(result.mixed, result.logSums, result.seed, result.offset)
            = at::_scaled_dot_product_efficient_attention(q, k, v, bias, needsLogSums, 0, false, scale);
    }
    if (!needsLogSums)
        result.logSums.reset();
    return result;
}

AttentionGradients streamedBackward(const at::Tensor& gradient, const at::Tensor& q, const at::Tensor& k,
    const at::Tensor& v, const StreamedAttention& result, double scale, const at::Tensor& keyBias, AttentionKernel kernel)
{
    AttentionGradients d;
    const at::Tensor none;  // no sequence lengths: all are as long as their tensor
    const std::optional<at::Tensor> bias = biasFor(keyBias, q, k);
    if (q.is_cpu()) {
        std::tie(d.q, d.k, d.v) = at::_scaled_dot_product_flash_attention_for_cpu_backward(
            gradient, q, k, v, result.mixed, result.logSums, 0, false, bias, scale);
    } else if (kernel == AttentionKernel::Flash) {
        std::tie(d.q, d.k, d.v) = at::_scaled_dot_product_flash_attention_backward(gradient, q, k, v, result.mixed,
            result.logSums, none, none, q.size(2), k.size(2), 0, false, result.seed, result.offset, scale);
    } else if (kernel == AttentionKernel::Cudnn) {
        std::tie(d.q, d.k, d.v) = at::_scaled_dot_product_cudnn_attention_backward(gradient, q, k, v, result.mixed,
            result.logSums, result.seed, result.offset, none, none, none, q.size(2), k.size(2), 0, false, scale);
    } else {
        at::Tensor ofBias;
        std::tie(d.q, d.k, d.v, ofBias) = at::_scaled_dot_product_efficient_attention_backward(gradient, q, k, v,
            bias.value_or(at::Tensor()), result.mixed, result.logSums, result.seed, result.offset, 0,
            {true, true, true, false}, false, scale);
    }
    return d;
}

}  // namespace engine
