#include "engine/kernels/reference/layer_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/softmax.h>

namespace engine::reference {
namespace {

at::Tensor toFloat(const at::Tensor& tensor) { return tensor.to(at::kFloat); }

void write(const at::Tensor& to, const at::Tensor& values, bool adds)
{
    if (adds)
        to.add_(values);
    else
        to.copy_(values);
}

/// @param to [B, D], or [1, D] for all samples together; @param values [B, D]
void addPerSample(const at::Tensor& to, const at::Tensor& values)
{
    to.add_(to.size(0) == 1 ? values.sum(0, true) : values);
}

}  // namespace

void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics, const NormForm& form)
{
    const at::Tensor values = toFloat(x);
    const at::Tensor mean = values.mean(-1, true);
    const at::Tensor centred = values - mean;
    const at::Tensor inverse = (centred.square().mean(-1, true) + form.epsilon).rsqrt();
    out.copy_(centred * inverse * (toFloat(scale).unsqueeze(1) + form.scaleOffset) + toFloat(shift).unsqueeze(1));
    statistics.mean.copy_(mean.flatten());
    statistics.inverseDeviation.copy_(inverse.flatten());
}

void modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale,
    const NormStatistics& statistics, const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift,
    const at::Tensor& dScale, const NormForm& form)
{
    const auto rows = x.sizes().slice(0, 2);
    const at::Tensor mean = statistics.mean.view(rows).unsqueeze(-1);
    const at::Tensor inverse = statistics.inverseDeviation.view(rows).unsqueeze(-1);
    const at::Tensor g = toFloat(gradient);
    const at::Tensor hat = (toFloat(x) - mean) * inverse;
    const at::Tensor weighted = g * (toFloat(scale).unsqueeze(1) + form.scaleOffset);
    write(dx, (weighted - weighted.mean(-1, true) - hat * (weighted * hat).mean(-1, true)) * inverse, addsToDx);
    addPerSample(dShift, g.sum(1));
    addPerSample(dScale, (g * hat).sum(1));
}

void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out)
{
    out.copy_(toFloat(x) + toFloat(gate).unsqueeze(1) * toFloat(h));
}

void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate)
{
    dh.copy_(toFloat(gradient) * toFloat(gate).unsqueeze(1));
    dGate.add_((toFloat(gradient) * toFloat(h)).sum(1));
}

void gelu(const at::Tensor& x, const at::Tensor& out)
{
    at::Tensor to = out;
    at::gelu_out(to, x, "tanh");
}

void geluBackward(const at::Tensor& gradient, const at::Tensor& x)
{
    at::Tensor to = gradient;
    at::gelu_backward_out(to, gradient, x, "tanh");
}

void silu(const at::Tensor& x, const at::Tensor& out)
{
    at::Tensor to = out;
    at::silu_out(to, x);
}

void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx)
{
    write(dx, at::silu_backward(gradient, x), addsToDx);
}

void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds)
{
    write(out, x.sum(0, false, at::kFloat).view(out.sizes()), adds);
}

void softmax(const at::Tensor& x, const at::Tensor& bias, double scale)
{
    at::Tensor scores = toFloat(x) * scale;
    if (bias.defined())
        scores = scores.view({bias.size(0), -1, x.size(-1)}) + bias.unsqueeze(1);
    x.copy_(at::softmax(scores, -1, at::kFloat).view(x.sizes()));
}

void softmaxBackward(const at::Tensor& p, const at::Tensor& d, double scale)
{
    const at::Tensor weights = toFloat(p);
    const at::Tensor gradient = toFloat(d);
    d.copy_(weights * (gradient - (weights * gradient).sum(-1, true)) * scale);
}

}  // namespace engine::reference
