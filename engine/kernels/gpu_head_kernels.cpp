#include "engine/kernels/gpu_head_kernels.h"

#include "engine/kernels/gpu_launch.h"
#include "engine/kernels/kernel_shares.h"

#include <limits>

namespace engine::gpu {
namespace {

// As in engine/kernels/cuda/source/heads.cu.
constexpr unsigned kHeadThreads = 4 * kWarp;
constexpr std::int64_t kWidestHead = 256;

struct SplitHeads {
    void* first;
    long long sample, head, token;
};

SplitHeads splitHeadsOf(const at::Tensor& x) { return {x.data_ptr(), x.stride(0), x.stride(1), x.stride(2)}; }

/// Whether pairs of elements can be accessed at once.
bool hasPairs(const at::Tensor& x)
{
    bool isEven = reinterpret_cast<std::uintptr_t>(x.data_ptr()) % (2 * x.element_size()) == 0 && x.stride(-1) == 1;
    for (std::int64_t dim = 0; dim + 1 < x.dim(); ++dim)
        isEven = isEven && (x.size(dim) == 1 || x.stride(dim) % 2 == 0);
    return isEven;
}

/// The kernel for the heads of @p joined [B, n, H, d] and @p split; nullptr when there is none.
const void* found(Kernel& kernel, const at::Tensor& joined, const at::Tensor& split)
{
    const std::int64_t size = joined.size(3);
    const bool isKnown = cuda::launcher() && elementName(joined) && size % 2 == 0 && size <= kWidestHead && joined.stride(2) == size
        && joined.size(0) * joined.size(1) <= std::numeric_limits<int>::max() && hasPairs(joined) && hasPairs(split);
    return isKnown ? kernel.variant(elementName(joined)) : nullptr;
}

}  // namespace

bool splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form)
{
    static thread_local Kernel kernel("splitHeads");
    const void* const variant = found(kernel, x, out);
    if (!variant)
        return false;
    const auto rows = static_cast<unsigned>(x.size(0) * x.size(1));
    if (rows > 0)
        launch(variant, {.x = rows}, {.x = kHeadThreads}, x.data_ptr(), static_cast<long long>(x.stride(1)), splitHeadsOf(out), dataOf(form.weight),
            dataOf(form.rotary.cosines), dataOf(form.rotary.sines), static_cast<int>(x.size(1)), static_cast<int>(x.size(2)),
            static_cast<int>(x.size(3)), static_cast<float>(form.scale), static_cast<float>(form.epsilon));
    return true;
}

bool splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx, const HeadTransform& form,
    const at::Tensor& dWeight, Arena& arena)
{
    static thread_local Kernel kernel("splitHeadsBackward");
    const bool hasWeight = form.weight.defined();
    const void* const variant = hasWeight && !(x.stride(2) == x.size(3) && hasPairs(x)) ? nullptr : found(kernel, dx, gradient);
    if (!variant)
        return false;
    const std::int64_t rows = dx.size(0) * dx.size(1), size = dx.size(3);
    if (rows == 0)
        return true;
    const unsigned blocks = hasWeight ? piecesOf(1, rows) : static_cast<unsigned>(rows);
    const Scratch sums(arena, hasWeight ? blocks * size : 0);
    launch(variant, {.x = blocks}, {.x = kHeadThreads}, splitHeadsOf(gradient), hasWeight ? x.data_ptr() : nullptr,
        static_cast<long long>(hasWeight ? x.stride(1) : 0), dx.data_ptr(), static_cast<long long>(dx.stride(1)), static_cast<int>(addsToDx),
        dataOf(form.weight), dataOf(form.rotary.cosines), dataOf(form.rotary.sines), sums.data(), static_cast<int>(rows),
        static_cast<int>(dx.size(1)), static_cast<int>(dx.size(2)), static_cast<int>(size), static_cast<float>(form.scale),
        static_cast<float>(form.epsilon));
    if (dWeight.defined())
        addPieces(sums.data(), dWeight.view({1, size}), 1, blocks, size, size, true);
    return true;
}

}  // namespace engine::gpu
