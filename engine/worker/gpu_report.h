// What `atelier-worker --check-gpus` prints, for `atelier doctor`.
#pragma once
#include <string>

namespace engine {

/// One line of JSON: {"v":1,"visible":1,"gpus":[{"name":"NVIDIA H200","kernels":60,"problems":[…],"attention":[…]}]}. Compiles our kernels for the first of the
/// GPUs that this process sees, compares them with LibTorch's operators, and measures attention at common sizes. No GPU: an empty list.
/// @throws EngineError when the CUDA module cannot be loaded.
std::string gpuReport();

}  // namespace engine
