#include "engine/comm/shared_sum.h"

#include "engine/kernels/cpu/vector.h"

#include <stdexcept>

namespace engine {
namespace {

template <typename T>
void sumOf(const T* const* sources, std::size_t ranks, std::int64_t first, float* out, std::int64_t count, bool adds)
{
    cpu::forProcessor<T>([=]<typename Floats>(cpu::LanesTag<Floats>) ATELIER_LAMBDA_INLINE {
        cpu::forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            Floats total = get(sources[0] + first + i);
            for (std::size_t rank = 1; rank < ranks; ++rank)
                total += get(sources[rank] + first + i);
            put(out + i, adds ? get(out + i) + total : total);
        });
    });
}

/// Not vectorised: on CPU, float16 serves for experiments only.
void sumFloat16(const at::Half* const* sources, std::size_t ranks, std::int64_t first, float* out, std::int64_t count, bool adds)
{
    for (std::int64_t i = 0; i < count; ++i) {
        float total = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            total += static_cast<float>(sources[rank][first + i]);
        out[i] = adds ? out[i] + total : total;
    }
}

}  // namespace

void addUp(const std::vector<const void*>& sources, c10::ScalarType dtype, std::int64_t first, float* out,
    std::int64_t count, bool adds)
{
    const auto* const* all = sources.data();
    if (dtype == c10::ScalarType::Float)
        sumOf(reinterpret_cast<const float* const*>(all), sources.size(), first, out, count, adds);
    else if (dtype == c10::ScalarType::BFloat16)
        sumOf(reinterpret_cast<const cpu::BFloat16* const*>(all), sources.size(), first, out, count, adds);
    else if (dtype == c10::ScalarType::Half)
        sumFloat16(reinterpret_cast<const at::Half* const*>(all), sources.size(), first, out, count, adds);
    else
        throw std::logic_error("gradients must be float32, bfloat16 or float16");
}

}  // namespace engine
