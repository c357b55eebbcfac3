// libatelier_cuda.so: everything of the engine that links CUDA and NCCL.
#include "engine/comm/accelerator.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/distributed/c10d/NCCLUtils.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace engine {
namespace {

class CudaAccelerator final : public Accelerator {
public:
    void setDevice(int index) override { c10::cuda::set_device(static_cast<c10::DeviceIndex>(index)); }

    c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank,
        int worldSize, std::chrono::milliseconds timeout) override
    {
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
        std::size_t freeBytes = 0;
        std::size_t totalBytes = 0;
        if (cudaMemGetInfo(&freeBytes, &totalBytes) != cudaSuccess)
            freeBytes = totalBytes = 0;
        return {stats.allocated_bytes[kAll].current, stats.reserved_bytes[kAll].current,
            stats.allocated_bytes[kAll].peak, static_cast<std::int64_t>(totalBytes - freeBytes),
            static_cast<std::int64_t>(totalBytes)};
    }

    std::string deviceName() const override
    {
        cudaDeviceProp properties {};
        if (cudaGetDeviceProperties(&properties, c10::cuda::current_device()) != cudaSuccess)
            return "a GPU";
        return properties.name;
    }

    std::string ncclVersion() const override { return c10d::getNcclVersion(); }
};

}  // namespace
}  // namespace engine

extern "C" __attribute__((visibility("default"))) engine::Accelerator* atelierAccelerator()
{
    static engine::CudaAccelerator accelerator;
    return &accelerator;
}
