#include "engine/model/kernels.h"

#include "engine/model/cpu_kernels.h"
#include "engine/comm/cpu_vector.h"
#include "engine/model/plain_kernels.h"

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

cpu::Rows rowsOf(const at::Tensor& x) { return {x.size(0), x.size(1), x.size(2)}; }

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
        cpu::modulatedNorm(rowsOf(x), dataOf<T>(x), perSample<const T>(shift), perSample<const T>(scale),
            dataOf<T>(out), dataOf<float>(statistics.mean), dataOf<float>(statistics.inverseDeviation), kNormEpsilon);
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
        const Scratch scratch(arena, 2 * x.size(2));
        cpu::modulatedNormBackward(rowsOf(x), dataOf<T>(gradient), dataOf<T>(x), perSample<const T>(scale),
            dataOf<float>(statistics.mean), dataOf<float>(statistics.inverseDeviation), dataOf<T>(dx), addsToDx,
            perSample<T>(dShift), perSample<T>(dScale), scratch.data());
    });
    if (!hasRun)
        plain::modulatedNormBackward(gradient, x, scale, statistics, dx, addsToDx, dShift, dScale);
}

void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::gatedAdd(rowsOf(x), dataOf<T>(x), perSample<const T>(gate), dataOf<T>(h), dataOf<T>(out));
    });
    if (!hasRun)
        plain::gatedAdd(x, gate, h, out);
}

void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate, Arena& arena)
{
    const bool hasRun = ran(h, [&](auto* none) {
        using T = Element<decltype(none)>;
        const Scratch scratch(arena, h.size(2));
        cpu::gatedAddBackward(rowsOf(h), dataOf<T>(gradient), perSample<const T>(gate), dataOf<T>(h), dataOf<T>(dh),
            perSample<T>(dGate), scratch.data());
    });
    if (!hasRun)
        plain::gatedAddBackward(gradient, gate, h, dh, dGate);
}

void gelu(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::gelu(dataOf<T>(x), dataOf<T>(out), x.numel());
    });
    if (!hasRun)
        plain::gelu(x, out);
}

void geluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::geluBackward(dataOf<T>(gradient), dataOf<T>(x), dataOf<T>(dx), x.numel());
    });
    if (!hasRun)
        plain::geluBackward(gradient, x, dx);
}

void silu(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::silu(dataOf<T>(x), dataOf<T>(out), x.numel());
    });
    if (!hasRun)
        plain::silu(x, out);
}

void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::siluBackward(dataOf<T>(gradient), dataOf<T>(x), dataOf<T>(dx), addsToDx, x.numel());
    });
    if (!hasRun)
        plain::siluBackward(gradient, x, dx, addsToDx);
}

void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& arena)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const Scratch scratch(arena, x.size(1));
        cpu::columnSums(dataOf<T>(x), x.size(0), x.size(1), dataOf<T>(out), adds, scratch.data());
    });
    if (!hasRun)
        plain::columnSums(x, out, adds);
}

void splitHeads(const at::Tensor& x, const at::Tensor& out, double firstScale)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::splitHeads(dataOf<T>(x), dataOf<T>(out), x.size(0), x.size(1), x.size(2), x.size(3), x.size(4),
            static_cast<float>(firstScale));
    });
    if (!hasRun)
        plain::splitHeads(x, out, firstScale);
}

void joinHeads(const at::Tensor& x, const at::Tensor& out, double firstScale)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::joinHeads(dataOf<T>(x), dataOf<T>(out), out.size(0), out.size(1), out.size(2), out.size(3), out.size(4),
            static_cast<float>(firstScale));
    });
    if (!hasRun)
        plain::joinHeads(x, out, firstScale);
}

void softmax(const at::Tensor& x)
{
    const bool hasRun = ran(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::softmax(dataOf<T>(x), x.numel() / x.size(-1), x.size(-1));
    });
    if (!hasRun)
        plain::softmax(x);
}

void softmaxBackward(const at::Tensor& p, const at::Tensor& d)
{
    const bool hasRun = ran(p, [&](auto* none) {
        using T = Element<decltype(none)>;
        cpu::softmaxBackward(dataOf<T>(p), dataOf<T>(d), p.numel() / p.size(-1), p.size(-1));
    });
    if (!hasRun)
        plain::softmaxBackward(p, d);
}

}  // namespace engine
