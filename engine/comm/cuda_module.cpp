// libatelier_cuda.so: the only part of the engine that links CUDA and NCCL.
#include "engine/comm/accelerator.h"
#include "engine/comm/cuda_kernels.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/distributed/c10d/NCCLUtils.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <cstdlib>

namespace engine {
namespace {

/// See [Note: failures of NCCL]. The constructor of ProcessGroupNCCL reads these variables.
void leaveFailuresToTheEngine()
{
    ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "2", 1);  // abort the communicators, do not end the process
    ::setenv("TORCH_NCCL_RETHROW_CUDA_ERRORS", "0", 1);   // the thread that computes gets the same error and can report it
    ::setenv("TORCH_NCCL_ENABLE_MONITORING", "0", 1);     // a second thread that ends the process; the supervisor notices hangs
    ::setenv("TORCH_NCCL_DUMP_ON_TIMEOUT", "0", 1);
    ::setenv("TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC", "0", 1);  // before it aborts, the watchdog sleeps four times as long
}

class CudaAccelerator final : public Accelerator {
public:
    /// LibTorch's allocator, which memory() asks, exists once CUDA has been started.
    void setDevice(int index) override
    {
        at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
        c10::cuda::set_device(static_cast<c10::DeviceIndex>(index));
    }

    c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank,
        int worldSize, std::chrono::milliseconds timeout) override
    {
        leaveFailuresToTheEngine();
        auto options = c10d::ProcessGroupNCCL::Options::create();
        options->timeout = timeout;
        return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, worldSize, options);
    }

    void synchronize() override { c10::cuda::device_synchronize(); }

    void emptyCache() override { c10::cuda::CUDACachingAllocator::emptyCache(); }

    Memory memory() override
    {
        constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
        const auto stats
            = c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device());
        return {stats.allocated_bytes[kAll].current, stats.reserved_bytes[kAll].current, stats.allocated_bytes[kAll].peak};
    }

    DriverMemory driverMemory() override
    {
        std::size_t freeBytes = 0;
        std::size_t totalBytes = 0;
        if (cudaMemGetInfo(&freeBytes, &totalBytes) != cudaSuccess)
            freeBytes = totalBytes = 0;
        return {static_cast<std::int64_t>(totalBytes - freeBytes), static_cast<std::int64_t>(totalBytes)};
    }

    std::string deviceName() const override
    {
        cudaDeviceProp properties {};
        if (cudaGetDeviceProperties(&properties, c10::cuda::current_device()) != cudaSuccess)
            return "a GPU";
        return properties.name;
    }

    cuda::Launcher& kernels() override { return compiledKernels(); }

    std::string ncclVersion() const override { return c10d::getNcclVersion(); }
};

}  // namespace
}  // namespace engine

extern "C" __attribute__((visibility("default"))) engine::Accelerator* atelierAccelerator()
{
    static engine::CudaAccelerator accelerator;
    at::globalContext().setAllowTF32CuDNN(false);  // float32 is float32 in convolutions, as in matrix products
    return &accelerator;
}
