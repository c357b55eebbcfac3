#include "engine/model/matrix_product.h"

#include "engine/model/thin_products.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

namespace engine {
namespace {

/// LibTorch gives float32 products to MKL, which uses half of what an AMD processor with AVX-512 can do; its
/// other library, oneDNN, uses all of it (measured: 97 and 220 GF/s on one core). Elsewhere MKL is as fast.
bool prefersOneDnn()
{
#if defined(__x86_64__)
    static const bool isWideAmd = __builtin_cpu_supports("avx512f") && __builtin_cpu_is("amd");
    return isWideAmd;
#else
    return false;
#endif
}

using LinearPointwise = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
    c10::string_view, c10::List<std::optional<at::Scalar>>, std::optional<c10::string_view>);

/// x weight^T + bias by oneDNN.
at::Tensor oneDnnLinear(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    static const auto linear = c10::Dispatcher::singleton()
                                   .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                                   .typed<LinearPointwise>();
    static const c10::List<std::optional<at::Scalar>> kNoScalars;
    return linear.call(x, weight, bias, "none", kNoScalars, "");
}

bool isForOneDnn(const at::Tensor& x)
{
    return x.is_cpu() && x.scalar_type() == at::kFloat && prefersOneDnn();
}

}  // namespace

void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds)
{
    if (multiplyThin(out, left, right, adds))
        return;
    at::Tensor to = out;
    if (isForOneDnn(left)) {
        const at::Tensor product = oneDnnLinear(left, right.t(), std::nullopt);
        adds ? to.add_(product) : to.copy_(product);
    } else if (adds) {
        to.addmm_(left, right);
    } else {
        at::mm_out(to, left, right);
    }
}

void multiplyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    if (multiplyThinAddBias(out, x, weight, bias))
        return;
    at::Tensor to = out;
    if (isForOneDnn(x))
        to.copy_(oneDnnLinear(x, weight, bias));
    else
        at::addmm_out(to, bias, x, weight.t());
}

}  // namespace engine
