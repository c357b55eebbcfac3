#include "engine/kernels/gpu_check.h"

#include "engine/kernels/gpu_head_kernels.h"
#include "engine/kernels/gpu_layer_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <functional>

namespace engine::gpu {
namespace {

class Check {
public:
    Check(c10::Device device, at::ScalarType dtype)
        : m_options(at::TensorOptions(device).dtype(dtype))
        , m_arena(device)
    {
    }

    /// @param ours, reference write into the tensors that they are given
    void compare(const char* what, const std::vector<at::Tensor>& like, const std::function<bool(const std::vector<at::Tensor>&)>& ours,
        const std::function<void(const std::vector<at::Tensor>&)>& reference)
    {
        std::vector<at::Tensor> got, expected;
        for (const at::Tensor& tensor : like) {
            got.push_back(at::zeros_like(tensor));
            expected.push_back(at::zeros_like(tensor));
        }
        const bool isHalf = m_options.dtype() == at::kBFloat16;
        const std::string name = std::string(what) + (isHalf ? " (bfloat16)" : " (float32)");
        if (!ours(got)) {
            problems.push_back(name + ": not compiled");
            return;
        }
        reference(expected);
        for (std::size_t i = 0; i < got.size(); ++i) {
            const at::Tensor exact = expected[i].to(at::kDouble), error = (got[i].to(at::kDouble) - exact).abs();
            const double worst = (error / (exact.abs() + exact.abs().mean())).max().item<double>();
            if (!(worst <= (isHalf ? 0.03 : 1e-3)))
                problems.push_back(name + ": off by " + std::to_string(worst));
        }
    }

    /// Numbers about 0 that differ from tensor to tensor.
    at::Tensor numbers(at::IntArrayRef shape)
    {
        m_salt += 0.7;
        return at::arange(c10::multiply_integers(shape), m_options.dtype(at::kFloat)).mul_(0.37).add_(m_salt).sin_().mul_(2).to(m_options.dtype()).view(shape);
    }
    Arena& arena() { return m_arena; }
    NormStatistics statistics(std::int64_t rows) const
    {
        const auto empty = [&] { return at::empty({rows}, m_options.dtype(at::kFloat)); };
        return {empty(), empty()};
    }

    std::vector<std::string> problems;

private:
    at::TensorOptions m_options;
    Arena m_arena;
    double m_salt = 0;
};

void check(Check& check)
{
    using Tensors = std::vector<at::Tensor>;
    const std::int64_t samples = 3, tokens = 40, width = 1536, heads = 24, size = 64;
    const at::Tensor x = check.numbers({samples, tokens, width}), h = check.numbers(x.sizes()), shift = check.numbers({samples, width}),
                     scale = check.numbers({samples, width});
    const NormStatistics kept = check.statistics(samples * tokens);
    reference::modulatedNorm(x, shift, scale, at::zeros_like(x), kept);
    Arena& arena = check.arena();
    check.compare("norm", {x}, [&](const Tensors& to) { return gpu::modulatedNorm(x, shift, scale, to[0], check.statistics(samples * tokens), {}); },
        [&](const Tensors& to) { reference::modulatedNorm(x, shift, scale, to[0], check.statistics(samples * tokens)); });
    check.compare("norm, backward", {x, shift, scale},
        [&](const Tensors& to) { return gpu::modulatedNormBackward(h, x, scale, kept, to[0], false, to[1], to[2], arena, {}); },
        [&](const Tensors& to) { reference::modulatedNormBackward(h, x, scale, kept, to[0], false, to[1], to[2]); });
    check.compare("gate", {x}, [&](const Tensors& to) { return gpu::gatedAdd(x, scale, h, to[0]); },
        [&](const Tensors& to) { reference::gatedAdd(x, scale, h, to[0]); });
    check.compare("gate, backward", {x, scale}, [&](const Tensors& to) { return gpu::gatedAddBackward(x, scale, h, to[0], to[1], arena); },
        [&](const Tensors& to) { reference::gatedAddBackward(x, scale, h, to[0], to[1]); });
    check.compare("gelu", {x}, [&](const Tensors& to) { return gpu::gelu(x, to[0]); }, [&](const Tensors& to) { reference::gelu(x, to[0]); });
    check.compare("gelu, backward", {x},
        [&](const Tensors& to) {
            to[0].copy_(h);
            return gpu::geluBackward(to[0], x);
        },
        [&](const Tensors& to) {
            to[0].copy_(h);
            reference::geluBackward(to[0], x);
        });
    check.compare("silu", {x}, [&](const Tensors& to) { return gpu::silu(x, to[0]); }, [&](const Tensors& to) { reference::silu(x, to[0]); });
    check.compare("silu, backward", {x}, [&](const Tensors& to) { return gpu::siluBackward(h, x, to[0], true); },
        [&](const Tensors& to) { reference::siluBackward(h, x, to[0], true); });
    const at::Tensor rows = x.flatten(0, 1);
    check.compare("column sums", {rows[0]}, [&](const Tensors& to) { return gpu::columnSums(rows, to[0], true, arena); },
        [&](const Tensors& to) { reference::columnSums(rows, to[0], true); });
    for (const std::int64_t elements : {size, size * 9 / 8}) {  // by groups of threads, and by pairs
        const at::Tensor joined = check.numbers({samples, tokens, heads, elements}), split = check.numbers({samples, heads, tokens, elements});
        const at::Tensor angles = check.numbers({tokens, elements / 2}).to(at::kFloat);
        const HeadTransform form {.weight = check.numbers({elements}), .rotary = rotaryTable(angles.cos(), angles.sin()), .scale = 0.5};
        check.compare("heads", {split}, [&](const Tensors& to) { return gpu::splitHeads(joined, to[0], form); },
            [&](const Tensors& to) { reference::splitHeads(joined, to[0], form); });
        check.compare("heads, backward", {joined, form.weight},
            [&](const Tensors& to) { return gpu::splitHeadsBackward(split, joined, to[0], false, form, to[1], arena); },
            [&](const Tensors& to) { reference::splitHeadsBackward(split, joined, to[0], false, form, to[1]); });
    }
}

}  // namespace

std::vector<std::string> disagreements(c10::Device device)
{
    std::vector<std::string> problems;
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
        Check one(device, dtype);
        check(one);
        problems.insert(problems.end(), one.problems.begin(), one.problems.end());
    }
    return problems;
}

}  // namespace engine::gpu
