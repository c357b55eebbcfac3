#include "engine/model/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <vector>

namespace engine {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

void writeOrAdd(Parameter& parameter, const at::Tensor& left, const at::Tensor& right)
{
    if (parameter.isGradWritten)
        parameter.grad.addmm_(left, right);
    else
        at::mm_out(parameter.grad, left, right);
    parameter.isGradWritten = true;
}

void writeOrAddSum(Parameter& parameter, const at::Tensor& rows)
{
    if (parameter.isGradWritten)
        parameter.grad.add_(rows.sum(0));
    else
        at::sum_out(parameter.grad, rows, 0);
    parameter.isGradWritten = true;
}

struct LinearFunction : Function<LinearFunction> {
    /// The weight is passed as a tensor too, so that the node exists when only weights need gradients.
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& value,
        Parameter* weight, Parameter* bias)
    {
        context->saved_data["weight"] = reinterpret_cast<std::int64_t>(weight);
        context->saved_data["bias"] = reinterpret_cast<std::int64_t>(bias);
        context->save_for_backward({x});
        return at::linear(x, value, bias->value);
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        auto& weight = *reinterpret_cast<Parameter*>(context->saved_data["weight"].toInt());
        auto& bias = *reinterpret_cast<Parameter*>(context->saved_data["bias"].toInt());
        const at::Tensor x = context->get_saved_variables()[0];
        const at::Tensor gradient = gradients[0].reshape({-1, gradients[0].size(-1)});
        writeOrAdd(weight, gradient.t(), x.reshape({-1, x.size(-1)}));
        writeOrAddSum(bias, gradient);
        at::Tensor inputGradient;
        if (context->needs_input_grad(0))
            inputGradient = at::mm(gradient, weight.value.detach()).view(x.sizes());
        return {inputGradient, at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::Tensor linear(const at::Tensor& x, Parameter& weight, Parameter& bias)
{
    if (!at::GradMode::is_enabled())
        return at::linear(x, weight.value, bias.value);
    return LinearFunction::apply(x, weight.value, &weight, &bias);
}

at::Tensor modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale)
{
    const at::Tensor normed = at::layer_norm(x, {x.size(-1)}, {}, {}, 1e-6);
    return at::addcmul(shift.unsqueeze(1), normed, scale.unsqueeze(1) + 1);
}

at::Tensor selfAttention(const at::Tensor& qkv, std::int64_t heads)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t tokens = qkv.size(1);
    const std::int64_t size = qkv.size(2) / 3 / heads;
    const auto parts = qkv.view({batch, tokens, 3, heads, size}).permute({2, 0, 3, 1, 4}).unbind(0);
    at::Tensor mixed;
    if (qkv.is_cpu() && qkv.scalar_type() != at::kFloat) {
        // LibTorch's flash kernel is slower than two products and a softmax in bf16 on CPU.
        const auto flat = [&](const at::Tensor& part) { return part.reshape({-1, tokens, size}); };
        const auto scores = at::bmm(
            flat(parts[0] * (1 / std::sqrt(static_cast<double>(size)))), flat(parts[1]).transpose(1, 2));
        mixed = at::bmm(at::softmax(scores, -1), flat(parts[2])).view({batch, heads, tokens, size});
    } else {
        mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    }
    return mixed.transpose(1, 2).reshape({batch, tokens, heads * size});
}

at::Tensor sinusoid(const at::Tensor& t, std::int64_t size)
{
    const std::int64_t half = size / 2;
    const auto frequencies
        = (at::arange(half, t.options()) * (-std::log(10000.0) / static_cast<double>(half))).exp();
    const auto angles = (t * 1000.0).unsqueeze(1) * frequencies.unsqueeze(0);
    return at::cat(std::vector<at::Tensor> {angles.cos(), angles.sin()}, 1);
}

}  // namespace engine
