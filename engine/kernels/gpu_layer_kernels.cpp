#include "engine/kernels/gpu_layer_kernels.h"

#include "engine/kernels/gpu_launch.h"
#include "engine/kernels/kernel_shares.h"

#include <limits>

namespace engine::gpu {
namespace {

constexpr unsigned kElementThreads = 256;  ///< a block of kernels that compute elements on their own

/// "bf16_f32_8"; empty when there is no kernel for the dtypes.
std::string variantOf(const at::Tensor& x, const at::Tensor& modulation, int vector)
{
    const char* const element = elementName(x);
    const char* const second = elementName(modulation);
    const bool isKnown = element && second && (x.scalar_type() == modulation.scalar_type() || modulation.scalar_type() == at::kFloat);
    return isKnown ? std::string(element) + "_" + second + "_" + std::to_string(vector) : std::string();
}

std::string variantOf(const at::Tensor& x, int vector)
{
    const char* const element = elementName(x);
    return element ? std::string(element) + "_" + std::to_string(vector) : std::string();
}

/// @return nullptr when there is none
const void* found(Kernel& kernel, const std::string& variant) { return variant.empty() || !cuda::launcher() ? nullptr : kernel.variant(variant); }

bool fitsInt(const at::Tensor& x) { return x.numel() / std::max<std::int64_t>(1, x.size(-1)) <= std::numeric_limits<int>::max(); }

template <typename... Arguments>
bool eachElement(Kernel& kernel, std::int64_t count, const at::Tensor& x, const at::Tensor& other, const at::Tensor& third, Arguments... arguments)
{
    const int vector = vectorLength(count, x.view({-1}), other.view({-1}), third.view({-1}));
    const void* const variant = found(kernel, variantOf(x, vector));
    if (!variant)
        return false;
    if (count > 0)
        launch(variant, {.x = ceilDivided(count, std::int64_t {kElementThreads} * vector)}, {.x = kElementThreads}, arguments...,
            static_cast<long long>(count));
    return true;
}

}  // namespace

void addPieces(const float* sums, const at::Tensor& to, std::int64_t samples, std::int64_t pieces, std::int64_t pieceStride, std::int64_t width,
    bool adds)
{
    static thread_local Kernel kernel("addPieces");
    constexpr unsigned kPieceLanes = 32;
    const bool isOne = to.size(0) == 1;
    launch(kernel.variant(elementName(to)), {.x = ceilDivided(width, kWarp), .y = isOne ? 1U : static_cast<unsigned>(samples)},
        {.x = kWarp, .y = kPieceLanes}, sums, perSample(to), static_cast<int>(isOne ? samples * pieces : pieces),
        static_cast<long long>(pieceStride), static_cast<long long>(pieces * pieceStride), static_cast<int>(width), static_cast<int>(adds));
}

bool modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out, const NormStatistics& statistics,
    const NormForm& form)
{
    static thread_local Kernel kernel("modulatedNorm");
    const std::int64_t rows = x.size(0) * x.size(1), width = x.size(2);
    const int vector = vectorLength(width, x, shift, scale, out);
    const void* const variant = fitsInt(x) ? found(kernel, variantOf(x, scale, vector)) : nullptr;
    if (!variant)
        return false;
    constexpr std::int64_t kVectors = 2;  // of a thread
    const unsigned threads = std::min(kMostThreads, wholeWarps(ceilDivided(width, kVectors * vector)));
    if (rows > 0)
        launch(variant, {.x = static_cast<unsigned>(rows)}, {.x = threads}, x.data_ptr(), perSample(shift), perSample(scale), out.data_ptr(),
            statistics.mean.data_ptr(), statistics.inverseDeviation.data_ptr(), static_cast<int>(x.size(1)), static_cast<int>(width),
            form.epsilon, form.scaleOffset);
    return true;
}

bool modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale, const NormStatistics& statistics,
    const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift, const at::Tensor& dScale, Arena& arena, const NormForm& form)
{
    static thread_local Kernel kernel("modulatedNormBackward");
    const std::int64_t samples = x.size(0), tokens = x.size(1), width = x.size(2);
    const int vector = vectorLength(width, x, gradient, scale, dx);
    const unsigned threads = wholeWarps(ceilDivided(width, vector));
    const void* const variant = fitsInt(x) && threads <= kMostThreads ? found(kernel, variantOf(x, scale, vector)) : nullptr;
    if (!variant)
        return false;
    if (x.numel() == 0)
        return true;
    const unsigned pieces = piecesOf(samples, tokens);
    const Scratch sums(arena, samples * pieces * 2 * width);
    launch(variant, {.x = pieces, .y = static_cast<unsigned>(samples)}, {.x = threads}, gradient.data_ptr(), x.data_ptr(), perSample(scale),
        statistics.mean.data_ptr(), statistics.inverseDeviation.data_ptr(), dx.data_ptr(), static_cast<int>(addsToDx), sums.data(),
        static_cast<int>(tokens), static_cast<int>(width), form.scaleOffset);
    addPieces(sums.data(), dShift, samples, pieces, 2 * width, width, true);
    addPieces(sums.data() + width, dScale, samples, pieces, 2 * width, width, true);
    return true;
}

bool gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out)
{
    static thread_local Kernel kernel("gatedAdd");
    const std::int64_t width = x.size(2), count = x.numel();
    const int vector = vectorLength(width, x, gate, h, out);
    const void* const variant = found(kernel, variantOf(x, gate, vector));
    if (!variant)
        return false;
    if (count > 0)
        launch(variant, {.x = ceilDivided(count, std::int64_t {kElementThreads} * vector)}, {.x = kElementThreads}, x.data_ptr(), perSample(gate),
            h.data_ptr(), out.data_ptr(), static_cast<long long>(x.size(1) * width), static_cast<int>(width), static_cast<long long>(count));
    return true;
}

namespace {

/// The blocks of kernels that divide columns over blockIdx.z.
struct ColumnBlocks {
    unsigned threads, blocks;

    ColumnBlocks(std::int64_t width, int vector)
        : threads(std::min(256U, wholeWarps(ceilDivided(width, vector))))
        , blocks(ceilDivided(width, std::int64_t {threads} * vector))
    {
    }
};

}  // namespace

bool gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& dh, const at::Tensor& dGate,
    Arena& arena)
{
    static thread_local Kernel kernel("gatedAddBackward");
    const std::int64_t samples = h.size(0), tokens = h.size(1), width = h.size(2);
    const int vector = vectorLength(width, h, gradient, gate, dh);
    const void* const variant = fitsInt(h) ? found(kernel, variantOf(h, gate, vector)) : nullptr;
    if (!variant)
        return false;
    if (h.numel() == 0)
        return true;
    const ColumnBlocks columns(width, vector);
    const unsigned pieces = piecesOf(samples, tokens, columns.blocks);
    const Scratch sums(arena, samples * pieces * width);
    launch(variant, {.x = pieces, .y = static_cast<unsigned>(samples), .z = columns.blocks}, {.x = columns.threads}, gradient.data_ptr(),
        perSample(gate), h.data_ptr(), dh.data_ptr(), sums.data(), static_cast<int>(tokens), static_cast<int>(width));
    addPieces(sums.data(), dGate, samples, pieces, width, width, true);
    return true;
}

bool gelu(const at::Tensor& x, const at::Tensor& out)
{
    static thread_local Kernel kernel("gelu");
    return eachElement(kernel, x.numel(), x, out, out, x.data_ptr(), out.data_ptr());
}

bool geluBackward(const at::Tensor& gradient, const at::Tensor& x)
{
    static thread_local Kernel kernel("geluBackward");
    return eachElement(kernel, x.numel(), gradient, x, x, gradient.data_ptr(), x.data_ptr());
}

bool silu(const at::Tensor& x, const at::Tensor& out)
{
    static thread_local Kernel kernel("silu");
    return eachElement(kernel, x.numel(), x, out, out, x.data_ptr(), out.data_ptr());
}

bool siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx)
{
    static thread_local Kernel kernel("siluBackward");
    return eachElement(
        kernel, x.numel(), gradient, x, dx, gradient.data_ptr(), x.data_ptr(), dx.data_ptr(), static_cast<int>(addsToDx));
}

bool columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& arena)
{
    static thread_local Kernel kernel("columnSums");
    const std::int64_t rows = x.size(0), width = x.size(1);
    const int vector = vectorLength(width, x);
    const void* const variant = fitsInt(x) && elementName(out) ? found(kernel, variantOf(x, vector)) : nullptr;
    if (!variant)
        return false;
    const ColumnBlocks columns(width, vector);
    const unsigned pieces = piecesOf(1, rows, columns.blocks);
    const Scratch sums(arena, pieces * width);
    launch(variant, {.x = pieces, .z = columns.blocks}, {.x = columns.threads}, x.data_ptr(), sums.data(), static_cast<int>(rows),
        static_cast<int>(width));
    addPieces(sums.data(), out.view({1, width}), 1, pieces, width, width, adds);
    return true;
}

}  // namespace engine::gpu
