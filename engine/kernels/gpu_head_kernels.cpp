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

/// Whether so many elements can be accessed at once.
bool hasMultiples(const at::Tensor& x, std::int64_t elements)
{
    const auto bytes = static_cast<std::uintptr_t>(elements) * static_cast<std::uintptr_t>(x.element_size());
    bool isAligned = reinterpret_cast<std::uintptr_t>(x.data_ptr()) % bytes == 0 && x.stride(-1) == 1;
    for (std::int64_t dim = 0; dim + 1 < x.dim(); ++dim)
        isAligned = isAligned && (x.size(dim) == 1 || x.stride(dim) % elements == 0);
    return isAligned;
}

bool isVectorAligned(const at::Tensor& x) { return !x.defined() || reinterpret_cast<std::uintptr_t>(x.data_ptr()) % kVectorBytes == 0; }

struct Form {
    const void* kernel = nullptr;  ///< nullptr: there is none
    unsigned heads = 0;            ///< that a block has at a time; 0: those of a row
};

/// The kernel for the heads of @p joined [B, n, H, d] and @p split, and of @p other, which may be undefined.
Form found(Kernel& kernel, const at::Tensor& joined, const at::Tensor& split, const at::Tensor& other, const HeadTransform& transform)
{
    const std::int64_t size = joined.size(3);
    const auto all = [&](std::int64_t elements) {
        return hasMultiples(joined, elements) && hasMultiples(split, elements) && (!other.defined() || (other.stride(2) == size && hasMultiples(other, elements)));
    };
    if (!cuda::launcher() || !elementName(joined) || joined.stride(2) != size || joined.size(0) * joined.size(1) > std::numeric_limits<int>::max())
        return {};
    const auto vector = static_cast<std::int64_t>(kVectorBytes / joined.element_size()), threads = size / vector;
    const bool isGroup = size % vector == 0 && threads > 0 && threads <= kWarp && (threads & (threads - 1)) == 0 && all(vector)
        && isVectorAligned(transform.weight) && isVectorAligned(transform.rotary.cosines) && isVectorAligned(transform.rotary.sines);
    const std::string element = elementName(joined);
    if (isGroup)
        return {kernel.variant(element + "_" + std::to_string(vector)), kHeadThreads / static_cast<unsigned>(threads)};
    if (size % 2 != 0 || size > kWidestHead || !all(2))
        return {};
    return {kernel.variant(element + "_2"), 0};
}

}  // namespace

bool splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form)
{
    static thread_local Kernel kernel("splitHeads");
    const Form found = gpu::found(kernel, x, out, {}, form);
    if (!found.kernel)
        return false;
    const std::int64_t rows = x.size(0) * x.size(1), heads = x.size(2);
    const unsigned blocks = found.heads > 0 ? ceilDivided(rows * heads, found.heads) : static_cast<unsigned>(rows);
    if (blocks > 0)
        launch(found.kernel, {.x = blocks}, {.x = kHeadThreads}, x.data_ptr(), static_cast<long long>(x.stride(1)), splitHeadsOf(out),
            dataOf(form.weight), dataOf(form.rotary.cosines), dataOf(form.rotary.sines), static_cast<int>(rows), static_cast<int>(x.size(1)),
            static_cast<int>(heads), static_cast<int>(x.size(3)), static_cast<float>(form.scale), static_cast<float>(form.epsilon));
    return true;
}

bool splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx, const HeadTransform& form,
    const at::Tensor& dWeight, Arena& arena)
{
    static thread_local Kernel kernel("splitHeadsBackward");
    const bool hasWeight = form.weight.defined();
    const Form found = gpu::found(kernel, dx, gradient, hasWeight ? x : at::Tensor(), form);
    if (!found.kernel)
        return false;
    const std::int64_t rows = dx.size(0) * dx.size(1), heads = dx.size(2), size = dx.size(3);
    const unsigned all = found.heads > 0 ? ceilDivided(rows * heads, found.heads) : static_cast<unsigned>(rows);
    if (all == 0)
        return true;
    const unsigned blocks = hasWeight ? std::min(all, 4 * piecesOf(1, rows)) : all;  // of few registers: four times as many find room
    const Scratch sums(arena, hasWeight ? blocks * size : 0);
    launch(found.kernel, {.x = blocks}, {.x = kHeadThreads}, splitHeadsOf(gradient), hasWeight ? x.data_ptr() : nullptr,
        static_cast<long long>(hasWeight ? x.stride(1) : 0), dx.data_ptr(), static_cast<long long>(dx.stride(1)), static_cast<int>(addsToDx),
        dataOf(form.weight), dataOf(form.rotary.cosines), dataOf(form.rotary.sines), sums.data(), static_cast<int>(rows),
        static_cast<int>(dx.size(1)), static_cast<int>(heads), static_cast<int>(size), static_cast<float>(form.scale),
        static_cast<float>(form.epsilon));
    if (dWeight.defined())
        addPieces(sums.data(), dWeight.view({1, size}), 1, blocks, size, size, true);
    return true;
}

}  // namespace engine::gpu
