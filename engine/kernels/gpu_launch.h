// Launches our own kernels (engine/kernels/cuda) on tensors. Included only by .cpp files.
#pragma once
#include "engine/kernels/cuda/launcher.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace engine::gpu {

/// As in engine/kernels/cuda/source/elements.cuh.
struct PerSample {
    void* first;
    long long stride;
};

/// The rows of @p block [B, D], or its only one for all samples.
inline PerSample perSample(const at::Tensor& block) { return {block.data_ptr(), block.size(0) == 1 ? 0 : block.stride(0)}; }

/// In the names of kernels; nullptr: there are none for this dtype.
inline const char* elementName(const at::Tensor& tensor)
{
    return tensor.scalar_type() == at::kFloat ? "f32" : tensor.scalar_type() == at::kBFloat16 ? "bf16" : nullptr;
}

inline void* dataOf(const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

constexpr int kVectorBytes = 16;
constexpr unsigned kWarp = 32, kMostThreads = 1024;

/// How many elements of the dtype of @p tensor a thread has at a time: 16 bytes' worth where @p width and addresses allow that, else 1.
/// @param tensors of that dtype whose rows are accessed alike
template <typename... Tensors>
int vectorLength(std::int64_t width, const at::Tensor& tensor, const Tensors&... tensors)
{
    const auto length = static_cast<int>(kVectorBytes / tensor.element_size());
    const auto isAligned = [&](const at::Tensor& x) {
        const auto rowBytes = x.dim() > 1 && x.size(0) > 1 ? x.stride(0) * static_cast<std::int64_t>(x.element_size()) : 0;
        return reinterpret_cast<std::uintptr_t>(x.data_ptr()) % kVectorBytes == 0 && rowBytes % kVectorBytes == 0;
    };
    return width % length == 0 && (isAligned(tensor) && ... && isAligned(tensors)) ? length : 1;
}

inline unsigned ceilDivided(std::int64_t value, std::int64_t by) { return static_cast<unsigned>((value + by - 1) / by); }
inline unsigned wholeWarps(std::int64_t threads) { return ceilDivided(threads, kWarp) * kWarp; }

/// The variants of a kernel, each found when it is first launched.
class Kernel {
public:
    explicit Kernel(const char* name)
        : m_name(name)
    {
    }

    /// @param variant what follows the name and an underscore @return nullptr when kernels cannot be compiled
    const void* variant(const std::string& variant)
    {
        if (m_launcher != cuda::launcher()) {
            m_launcher = cuda::launcher();
            m_found.clear();
        }
        const auto [place, isNew] = m_found.try_emplace(variant, nullptr);
        if (isNew && m_launcher)
            place->second = m_launcher->find(m_name + "_" + variant);
        return place->second;
    }

private:
    std::string m_name;
    cuda::Launcher* m_launcher = nullptr;
    std::map<std::string, const void*> m_found;
};

template <typename... Arguments>
void launch(const void* kernel, cuda::Extent grid, cuda::Extent block, Arguments... arguments)
{
    void* addresses[] = {&arguments...};
    cuda::launcher()->launch(kernel, grid, block, addresses);
}

/// Into how many pieces the rows of each of @p samples are divided for sums over them: enough to keep all multiprocessors busy.
inline unsigned piecesOf(std::int64_t samples, std::int64_t rows, std::int64_t columnBlocks = 1)
{
    constexpr std::int64_t kBlocks = 4;  // a multiprocessor
    const std::int64_t wanted = kBlocks * cuda::launcher()->multiprocessors() / std::max<std::int64_t>(1, samples * columnBlocks);
    return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, rows)));
}

/// to[s, c] (+)= Σ sums[s, p, c] over the pieces p. @param sums [samples, pieces, …], whose columns begin at @p sums
/// @param to [samples, width], or [1, width] for all samples together
void addPieces(const float* sums, const at::Tensor& to, std::int64_t samples, std::int64_t pieces, std::int64_t pieceStride, std::int64_t width,
    bool adds);

}  // namespace engine::gpu
