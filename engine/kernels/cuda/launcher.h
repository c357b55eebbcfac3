// Our kernels for NVIDIA GPUs: their sources, and who compiles and launches them. What launches them lies in the CUDA module
// (engine/comm/cuda_kernels.cpp), so that nothing else links CUDA; tests launch them on the CPU.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine::cuda {

struct Extent {
    unsigned x = 1, y = 1, z = 1;
};

/// Thread-safe.
class Launcher {
public:
    virtual ~Launcher() = default;

    /// Returns a handle of the kernel for launch(); nullptr when the kernels cannot be compiled for this GPU.
    virtual const void* find(const std::string& kernel) = 0;

    /// On the current stream. @param arguments their addresses, in the order of the kernel's parameters
    virtual void launch(const void* kernel, Extent grid, Extent block, void** arguments) = 0;

    virtual int multiprocessors() const = 0;
};

/// What launches kernels in this process; nullptr: LibTorch's operators are used.
Launcher* launcher();
void setLauncher(Launcher* launcher);

/// One program of CUDA C++ for NVRTC, which needs no header.
std::string_view source();

/// The names of its kernels.
std::vector<std::string> kernelNames();

}  // namespace engine::cuda
