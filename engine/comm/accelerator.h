// The seam between the worker, which links no CUDA, and the module that does.
#pragma once
#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace c10d {
class Backend;
class Store;
}

namespace engine {

/// What the engine asks of CUDA and NCCL. Lives in libatelier_cuda.so, beside the worker program.
class Accelerator {
public:
    struct Memory {
        std::int64_t allocatedBytes = 0;  ///< by tensors, from the caching allocator
        std::int64_t reservedBytes = 0;
        std::int64_t peakBytes = 0;       ///< highest allocatedBytes
        std::int64_t driverUsedBytes = 0; ///< of the whole GPU, other processes included
        std::int64_t driverTotalBytes = 0;
    };

    virtual ~Accelerator() = default;
    virtual void setDevice(int index) = 0;
    virtual c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store,
        int rank, int worldSize, std::chrono::milliseconds timeout) = 0;
    virtual void synchronize() = 0;
    virtual void emptyCache() = 0;  ///< gives free memory of the caching allocator back to the driver
    virtual Memory memory() = 0;
    virtual std::string deviceName() const = 0;  ///< of the device set: "NVIDIA H100 80GB HBM3"
    virtual std::string ncclVersion() const = 0;
};

/// GPUs that the driver lists, found without touching CUDA through LibTorch; 0 without a driver.
int gpuCount();

/// Loads the module; call before the first torch operation of the process, which looks for CUDA once only.
/// @throws EngineError naming what is missing: the driver, the module, or a library that it needs.
Accelerator& loadAccelerator();

/// "cuda" or "cpu" from run.device and the GPUs found: auto takes cuda when every local rank has a GPU.
/// @throws EngineError when cuda is demanded and there are fewer GPUs than local ranks.
c10::DeviceType chooseDevice(const std::string& requested, int localWorldSize);

}  // namespace engine
