#include "engine/model/kernels.h"

#include "engine/model/cpu_kernels.h"
#include "engine/comm/cpu_vector.h"
#include "engine/model/plain_kernels.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace engine {
namespace {

template <typename T>
T* dataOf(const at::Tensor& tensor)
{
    return static_cast<T*>(tensor.data_ptr());
}

template <typename T>
cpu::PerSample<T> perSample(const at::Tensor& block)
{
    return {dataOf<T>(block), block.stride(0)};
}

constexpr std::int64_t kElementsPerThread = 16384;  // fewer are done sooner than another thread wakes

/// Calls body(rows) for shares of the rows of x [B, N, D], on several threads where that pays.
template <typename Body>
void forRows(std::int64_t rowCount, std::int64_t tokens, std::int64_t width, Body body)
{
    const std::int64_t grain = std::max<std::int64_t>(1, kElementsPerThread / std::max<std::int64_t>(1, width));
    at::parallel_for(0, rowCount, grain, [&](std::int64_t begin, std::int64_t end) {
        body(cpu::Rows {begin, end, tokens, width});
    });
}

template <typename Body>
void forElements(std::int64_t count, Body body)
{
    at::parallel_for(0, count, kElementsPerThread, [&](std::int64_t begin, std::int64_t end) { body(begin, end - begin); });
}

/// How many shares the rows of one sample are cut into: as many as threads have nothing to do otherwise. The
/// sums over rows are made of that many pieces, so that they depend on the number of threads and nothing else.
std::int64_t piecesPerSample(std::int64_t samples, std::int64_t tokens, std::int64_t width)
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

/// Calls @p kernel with a null pointer of the dtype's type in our own kernels.
/// @return whether there is one.
template <typename Kernel>
bool ran(const at::Tensor& tensor, Kernel kernel)
{
    if (!tensor.is_cpu())
        return false;
    if (tensor.scalar_type() == at::kFloat)
        kernel(static_cast<float*>(nullptr));
    else if (tensor.scalar_type() == at::kBFloat16)
        kernel(static_cast<cpu::BFloat16*>(nullptr));
    else
        return false;
    return true;
}

template <typename Pointer>
using Element = std::remove_pointer_t<Pointer>;

/// Floats for the duration of one kernel.
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

}  // namespace

void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forRows(x.size(0) * x.size(1), x.size(1), x.size(2), [&](cpu::Rows rows) {
            cpu::modulatedNorm(rows, dataOf<T>(x), perSample<const T>(shift), perSample<const T>(scale),
                dataOf<T>(out), dataOf<float>(statistics.mean), dataOf<float>(statistics.inverseDeviation), kNormEpsilon);
        });
    });
    if (!hasRun)
        plain::modulatedNorm(x, shift, scale, out, statistics);
}

void modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale,
    const NormStatistics& statistics, const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift,
    const at::Tensor& dScale, Arena& arena)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t samples = x.size(0), tokens = x.size(1), width = x.size(2);
        const std::int64_t pieces = piecesPerSample(samples, tokens, width);
        const Scratch sums(arena, samples * pieces * 2 * width);
        forPieces(samples, tokens, width, pieces, [&](cpu::Rows rows, std::int64_t piece) {
            cpu::modulatedNormBackward(rows, dataOf<T>(gradient), dataOf<T>(x), perSample<const T>(scale),
                dataOf<float>(statistics.mean), dataOf<float>(statistics.inverseDeviation), dataOf<T>(dx), addsToDx,
                sums.data() + piece * 2 * width);
        });
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            const float* const first = sums.data() + sample * pieces * 2 * width;
            cpu::addPieces(first, pieces, 2 * width, perSample<T>(dShift).of(sample), width, true);
            cpu::addPieces(first + width, pieces, 2 * width, perSample<T>(dScale).of(sample), width, true);
        }
    });
    if (!hasRun)
        plain::modulatedNormBackward(gradient, x, scale, statistics, dx, addsToDx, dShift, dScale);
}

void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forRows(x.size(0) * x.size(1), x.size(1), x.size(2), [&](cpu::Rows rows) {
            cpu::gatedAdd(rows, dataOf<T>(x), perSample<const T>(gate), dataOf<T>(h), dataOf<T>(out));
        });
    });
    if (!hasRun)
        plain::gatedAdd(x, gate, h, out);
}

void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate, Arena& arena)
{
    const bool hasRun = ran(h, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t samples = h.size(0), tokens = h.size(1), width = h.size(2);
        const std::int64_t pieces = piecesPerSample(samples, tokens, width);
        const Scratch sums(arena, samples * pieces * width);
        forPieces(samples, tokens, width, pieces, [&](cpu::Rows rows, std::int64_t piece) {
            cpu::gatedAddBackward(rows, dataOf<T>(gradient), perSample<const T>(gate), dataOf<T>(h), dataOf<T>(dh),
                sums.data() + piece * width);
        });
        for (std::int64_t sample = 0; sample < samples; ++sample)
            cpu::addPieces(sums.data() + sample * pieces * width, pieces, width, perSample<T>(dGate).of(sample), width, true);
    });
    if (!hasRun)
        plain::gatedAddBackward(gradient, gate, h, dh, dGate);
}

void gelu(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::gelu(dataOf<T>(x) + begin, dataOf<T>(out) + begin, count);
        });
    });
    if (!hasRun)
        plain::gelu(x, out);
}

void geluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::geluBackward(dataOf<T>(gradient) + begin, dataOf<T>(x) + begin, dataOf<T>(dx) + begin, count);
        });
    });
    if (!hasRun)
        plain::geluBackward(gradient, x, dx);
}

void silu(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::silu(dataOf<T>(x) + begin, dataOf<T>(out) + begin, count);
        });
    });
    if (!hasRun)
        plain::silu(x, out);
}

void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::siluBackward(dataOf<T>(gradient) + begin, dataOf<T>(x) + begin, dataOf<T>(dx) + begin, addsToDx, count);
        });
    });
    if (!hasRun)
        plain::siluBackward(gradient, x, dx, addsToDx);
}

void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& arena)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t rows = x.size(0), width = x.size(1);
        const std::int64_t pieces = piecesPerSample(1, rows, width);
        const Scratch sums(arena, pieces * width);
        forPieces(1, rows, width, pieces, [&](cpu::Rows share, std::int64_t piece) {
            cpu::columnSums(share, dataOf<T>(x), sums.data() + piece * width);
        });
        cpu::addPieces(sums.data(), pieces, width, dataOf<T>(out), width, adds);
    });
    if (!hasRun)
        plain::columnSums(x, out, adds);
}

void splitHeads(const at::Tensor& x, const at::Tensor& out, double firstScale)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forRows(x.size(0) * x.size(1), x.size(1), x.size(4), [&](cpu::Rows rows) {
            cpu::splitHeads(rows, dataOf<T>(x), dataOf<T>(out), x.size(0), x.size(2), x.size(3), static_cast<float>(firstScale));
        });
    });
    if (!hasRun)
        plain::splitHeads(x, out, firstScale);
}

void joinHeads(const at::Tensor& x, const at::Tensor& out, double firstScale)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forRows(out.size(0) * out.size(1), out.size(1), out.size(4), [&](cpu::Rows rows) {
            cpu::joinHeads(rows, dataOf<T>(x), dataOf<T>(out), out.size(0), out.size(2), out.size(3), static_cast<float>(firstScale));
        });
    });
    if (!hasRun)
        plain::joinHeads(x, out, firstScale);
}

void softmax(const at::Tensor& x)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t width = x.size(-1);
        forRows(x.numel() / width, 1, width, [&](cpu::Rows rows) {
            cpu::softmax(dataOf<T>(x) + rows.begin * width, rows.end - rows.begin, width);
        });
    });
    if (!hasRun)
        plain::softmax(x);
}

void softmaxBackward(const at::Tensor& p, const at::Tensor& d)
{
    const bool hasRun = ran(p, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t width = p.size(-1);
        forRows(p.numel() / width, 1, width, [&](cpu::Rows rows) {
            const std::int64_t begin = rows.begin * width;
            cpu::softmaxBackward(dataOf<T>(p) + begin, dataOf<T>(d) + begin, rows.end - rows.begin, width);
        });
    });
    if (!hasRun)
        plain::softmaxBackward(p, d);
}

}  // namespace engine
