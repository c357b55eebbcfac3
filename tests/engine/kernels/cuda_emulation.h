// Runs our kernels for GPUs on the CPU: the same sources, compiled as C++. One block after the other; the threads of a block are fibers, which take
// turns at barriers and shuffles, in one of several orders: a kernel whose threads race gives another result in one of them. Included by one source
// of a program.
#pragma once
#include "engine/kernels/cuda/launcher.h"
#include "engine/kernels/cuda/sources.h"

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::emulated {

struct Place {
    unsigned x = 0, y = 0, z = 0;
};

inline Place threadIdx, blockIdx;
inline engine::cuda::Extent blockDim, gridDim;

constexpr unsigned kLanes = 32;

/// Who goes first between two barriers.
enum class Order {
    Forward,     ///< threads and blocks as they are counted
    Backward,
    WarpByWarp,  ///< the last warp goes as far as it can before the one before it begins
};
inline constexpr Order kOrders[] = {Order::Forward, Order::Backward, Order::WarpByWarp};
inline Order order = Order::Forward;

/// Those who wait until as many have come as are awaited.
struct Barrier {
    unsigned arrived = 0;
    std::uint64_t round = 0;

    void passIfComplete(unsigned awaited)
    {
        if (arrived > 0 && arrived >= awaited) {
            arrived = 0;
            ++round;
        }
    }
};

/// The threads of one block. A fiber is started once and runs a thread of every block; after its first start, jumps switch, which ask nothing
/// of the system.
class Block {
public:
    static Block& current()
    {
        static Block block;
        return block;
    }

    void run(void (*kernel)(void**), void** arguments)
    {
        const unsigned count = blockDim.x * blockDim.y;
        m_kernel = kernel;
        m_arguments = arguments;
        m_barrier = {};
        m_warps.assign((count + kLanes - 1) / kLanes, {});
        while (m_fibers.size() < count)
            m_fibers.push_back(std::make_unique<Fiber>());
        for (unsigned i = 0; i < count; ++i)
            m_fibers[i]->isDone = false;
        m_live = count;
        while (m_live > 0) {
            const std::uint64_t before = m_progress;
            if (order == Order::WarpByWarp) {
                for (std::size_t warp = m_warps.size(); warp-- > 0;)
                    runWarp(static_cast<unsigned>(warp), count);
            } else {
                for (unsigned i = 0; i < count; ++i)
                    runThread(order == Order::Forward ? i : count - 1 - i);
            }
            if (m_progress == before) {
                std::fputs("a kernel's threads wait for each other for ever\n", stderr);
                std::abort();
            }
        }
    }

    void synchronize() { await(m_barrier, [this] { return m_live; }); }

    float exchange(float value, unsigned distance)
    {
        Warp& warp = m_warps[m_index / kLanes];
        const unsigned lane = m_index % kLanes, half = warp.barrier.round % 2;
        warp.values[half][lane] = value;
        await(warp.barrier, [] { return kLanes; });
        return warp.values[half][lane ^ distance];
    }

private:
    struct Fiber {
        ucontext_t context {};
        std::jmp_buf place {};
        std::vector<char> stack = std::vector<char>(std::size_t {64} << 10);
        bool isStarted = false, isDone = true;
    };
    struct Warp {
        Barrier barrier;
        float values[2][kLanes];
    };

    void runThread(unsigned index)
    {
        m_index = index;
        if (m_fibers[index]->isDone)
            return;
        threadIdx = {index % blockDim.x, index / blockDim.x, 0};
        resume(*m_fibers[index]);
    }

    void runWarp(unsigned warp, unsigned count)
    {
        for (std::uint64_t before = m_progress + 1; m_progress != before;) {
            before = m_progress;
            for (unsigned i = warp * kLanes; i < std::min(count, (warp + 1) * kLanes); ++i)
                runThread(i);
        }
    }

    void resume(Fiber& fiber)
    {
        if (::_setjmp(m_scheduler) != 0)
            return;
        if (fiber.isStarted)
            ::_longjmp(fiber.place, 1);
        fiber.isStarted = true;
        ::getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        ::makecontext(&fiber.context, [] { current().runThreads(); }, 0);
        ::setcontext(&fiber.context);
    }

    void yield()
    {
        if (::_setjmp(m_fibers[m_index]->place) == 0)
            ::_longjmp(m_scheduler, 1);
    }

    [[noreturn]] void runThreads()
    {
        for (;;) {
            m_kernel(m_arguments);
            m_fibers[m_index]->isDone = true;
            ++m_progress;
            --m_live;
            m_barrier.passIfComplete(m_live);  // who has ended is not awaited
            yield();
        }
    }

    template <typename Awaited>
    void await(Barrier& barrier, Awaited awaited)
    {
        const std::uint64_t round = barrier.round;
        ++barrier.arrived;
        ++m_progress;
        barrier.passIfComplete(awaited());
        while (barrier.round == round)
            yield();
    }

    void (*m_kernel)(void**) = nullptr;
    void** m_arguments = nullptr;
    std::vector<std::unique_ptr<Fiber>> m_fibers;
    std::vector<Warp> m_warps;
    Barrier m_barrier;
    std::jmp_buf m_scheduler {};
    unsigned m_index = 0, m_live = 0;
    std::uint64_t m_progress = 0;
};

inline void __syncthreads() { Block::current().synchronize(); }
inline float __shfl_xor_sync(unsigned, float value, int distance) { return Block::current().exchange(value, static_cast<unsigned>(distance)); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline float __expf(float x) { return std::exp(x); }
inline int min(int a, int b) { return a < b ? a : b; }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#define __device__
#define __global__
#define __shared__ static
#include "engine/kernels/cuda/source/elements.cuh"

#include "engine/kernels/cuda/source/layers.cu"

#include "engine/kernels/cuda/source/heads.cu"

#include "engine/kernels/cuda/source/adamw.cu"
#undef __device__
#undef __global__
#undef __shared__
#pragma GCC diagnostic pop

/// Calls a kernel with the arguments that a launch names by their addresses.
template <auto kKernel>
struct Call;
template <typename... Arguments, void (*kKernel)(Arguments...)>
struct Call<kKernel> {
    static void with(void** arguments) { withEach(arguments, std::index_sequence_for<Arguments...>()); }

private:
    template <std::size_t... kIndices>
    static void withEach(void** arguments, std::index_sequence<kIndices...>)
    {
        kKernel(*static_cast<std::remove_const_t<Arguments>*>(arguments[kIndices])...);
    }
};

class Launcher final : public engine::cuda::Launcher {
public:
    const void* find(const std::string& kernel) override
    {
#define KERNEL_CALL(name) {#name, &Call<&name>::with},
        static const std::map<std::string, void (*)(void**)> calls = {ATELIER_CUDA_KERNELS(KERNEL_CALL)};
#undef KERNEL_CALL
        const auto found = calls.find(kernel);
        return found == calls.end() ? nullptr : &found->second;
    }

    void launch(const void* kernel, engine::cuda::Extent grid, engine::cuda::Extent block, void** arguments) override
    {
        gridDim = grid;
        blockDim = block;
        const unsigned blocks = grid.x * grid.y * grid.z;
        for (unsigned i = 0; i < blocks; ++i) {
            const unsigned at = order == Order::Forward ? i : blocks - 1 - i;
            blockIdx = {at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y};
            Block::current().run(*static_cast<void (*const*)(void**)>(kernel), arguments);
        }
    }

    int multiprocessors() const override { return 2; }
};

}  // namespace tests::emulated
