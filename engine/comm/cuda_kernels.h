// Compiles and launches our own kernels; part of the CUDA module.
#pragma once
#include "engine/kernels/cuda/launcher.h"

namespace engine {

/// For the GPU that is current when a kernel is first asked for. NVRTC compiles all kernels at once, in some seconds; the result is kept in
/// kernels/ of the cache folder, under a name that depends on the sources, the options, the architecture, and the versions of NVRTC and the driver.
/// When that fails, a warning on standard error says why, and find() returns nullptr.
cuda::Launcher& compiledKernels();

}  // namespace engine
