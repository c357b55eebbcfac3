// Divides kernels on whole tensors over threads and chooses them by dtype. Included only by the .cpp files of this folder.
// Dims: B samples, N tokens, D width.
#pragma once
#include "engine/kernels/cpu/layer_kernels.h"
#include "engine/kernels/cpu/processor.h"
#include "engine/shard/arena.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace engine {

template <typename T>
T* dataOf(const at::Tensor& tensor)
{
    return tensor.defined() ? static_cast<T*>(tensor.data_ptr()) : nullptr;
}

constexpr std::int64_t kElementsPerThread = 16384;  // fewer take less time than waking another thread

/// Calls body(rows) for ranges of the rows of x [B, N, D], on several threads if there are enough elements.
template <typename Body>
void forRows(std::int64_t rowCount, std::int64_t tokens, std::int64_t width, Body body)
{
    const std::int64_t grain = std::max<std::int64_t>(1, kElementsPerThread / std::max<std::int64_t>(1, width));
    at::parallel_for(0, rowCount, grain, [&](std::int64_t begin, std::int64_t end) {
        body(cpu::Rows {begin, end, tokens, width});
    });
}

/// Calls body(first, count) for ranges of elements, on several threads if there are enough.
template <typename Body>
void forElements(std::int64_t count, Body body)
{
    at::parallel_for(0, count, kElementsPerThread, [&](std::int64_t begin, std::int64_t end) { body(begin, end - begin); });
}

/// Into how many pieces the rows of one sample are divided: enough to occupy all threads. Sums over rows are computed
/// by piece and then added, so that their rounding depends on the number of threads and on nothing else.
inline std::int64_t piecesPerSample(std::int64_t samples, std::int64_t tokens, std::int64_t width)
{
    const auto threads = static_cast<std::int64_t>(at::get_num_threads());
    const std::int64_t useful = std::max<std::int64_t>(1, tokens * width / kElementsPerThread);
    return std::clamp<std::int64_t>((threads + samples - 1) / samples, 1, std::min(useful, tokens));
}

/// Calls body(rows, piece) for every piece of every sample; no piece crosses a sample.
template <typename Body>
void forPieces(std::int64_t samples, std::int64_t tokens, std::int64_t width, std::int64_t pieces, Body body)
{
    const std::int64_t share = (tokens + pieces - 1) / pieces;
    const std::int64_t grain = std::max<std::int64_t>(1, kElementsPerThread / std::max<std::int64_t>(1, share * width));
    at::parallel_for(0, samples * pieces, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t first = piece / pieces * tokens;
            const std::int64_t from = std::min(piece % pieces * share, tokens);
            body(cpu::Rows {first + from, first + std::min(from + share, tokens), tokens, width}, piece);
        }
    });
}

/// Calls @p kernel with the bfloat16 type that this processor supports best.
template <typename Kernel>
void runBFloat16(Kernel kernel)
{
#if defined(ATELIER_NATIVE_BFLOAT16)
    if (cpu::hasNativeBFloat16()) {
        kernel(static_cast<cpu::NativeBFloat16*>(nullptr));
        return;
    }
#endif
    kernel(static_cast<cpu::BFloat16*>(nullptr));
}

/// Calls @p kernel with a null pointer of the element type if our own kernels support the tensor's device and dtype.
/// @return whether it was called
template <typename Kernel>
bool ranOnCpu(const at::Tensor& tensor, Kernel kernel)
{
    if (!tensor.is_cpu())
        return false;
    if (tensor.scalar_type() == at::kFloat)
        kernel(static_cast<float*>(nullptr));
    else if (tensor.scalar_type() == at::kBFloat16)
        runBFloat16(kernel);
    else
        return false;
    return true;
}

/// Whether a kernel of engine/kernels/cuda may compute on @p tensor.
inline bool isOnGpu(const at::Tensor& tensor) { return tensor.is_cuda(); }

template <typename Pointer>
using Element = std::remove_pointer_t<Pointer>;

/// Temporary float32 memory for one kernel; freed by the destructor.
class Scratch {
public:
    Scratch(Arena& arena, std::int64_t count)
        : m_arena(arena)
        , m_mark(arena.mark())
        , m_floats(arena.allocate({count}, at::kFloat))
    {
    }
    ~Scratch() { m_arena.release(m_mark); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    float* data() const { return m_floats.data_ptr<float>(); }

private:
    Arena& m_arena;
    Arena::Mark m_mark;
    at::Tensor m_floats;
};

}  // namespace engine
