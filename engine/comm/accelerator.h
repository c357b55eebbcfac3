// The interface between the worker, which does not link CUDA, and the module that does.
#pragma once
#include "engine/kernels/cuda/launcher.h"

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

/// The CUDA and NCCL operations that the engine needs. Implemented in libatelier_cuda.so, in the worker program's folder.
class Accelerator {
public:
    struct Memory {
        std::int64_t allocatedBytes = 0;  ///< in use by tensors, as counted by the caching allocator
        std::int64_t reservedBytes = 0;   ///< held by the caching allocator
        std::int64_t peakBytes = 0;       ///< highest allocatedBytes
    };
    struct DriverMemory {
        std::int64_t usedBytes = 0;  ///< of the whole GPU, other processes included
        std::int64_t totalBytes = 0;
    };

    virtual ~Accelerator() = default;
    virtual void setDevice(int index) = 0;
    virtual c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store,
        int rank, int worldSize, std::chrono::milliseconds timeout) = 0;
    virtual void synchronize() = 0;
    virtual void emptyCache() = 0;  ///< returns the caching allocator's free memory to the driver
    virtual Memory memory() = 0;              ///< asks the caching allocator only
    virtual DriverMemory driverMemory() = 0;  ///< may wait for other calls to the driver
    virtual cuda::Launcher& kernels() = 0;  ///< of the current device
    virtual std::string deviceName() const = 0;  ///< of the current device: "NVIDIA H100 80GB HBM3"
    virtual std::string ncclVersion() const = 0;
};

/// Loads the module, whose kernels are used from then on (engine/kernels/cuda/launcher.h). Call it before the first torch operation of the
/// process: LibTorch looks for CUDA only once.
/// @throws EngineError naming what is missing: the driver, the module, or a library that it needs.
Accelerator& loadAccelerator();

}  // namespace engine
