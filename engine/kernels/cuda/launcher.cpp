#include "engine/kernels/cuda/launcher.h"

#include "engine/kernels/cuda/sources.h"

namespace engine::cuda {
namespace {

Launcher* s_launcher = nullptr;

}  // namespace

Launcher* launcher() { return s_launcher; }

void setLauncher(Launcher* launcher) { s_launcher = launcher; }

std::string_view source() { return kSource; }

std::vector<std::string> kernelNames()
{
#define KERNEL_NAME(kernel) #kernel,
    return {ATELIER_CUDA_KERNELS(KERNEL_NAME)};
#undef KERNEL_NAME
}

}  // namespace engine::cuda
