#include "engine/comm/accelerator.h"

#include "engine/comm/errors.h"

#include <dlfcn.h>

#include <filesystem>

namespace engine {
namespace {

std::string modulePath()
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return (program.parent_path() / "libatelier_cuda.so").string();
}

}  // namespace

int gpuCount()
{
    // NVML answers without creating a CUDA context. Own declarations: its header is not needed to build.
    void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
    const auto init = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"));
    const auto count
        = reinterpret_cast<int (*)(unsigned*)>(::dlsym(library, "nvmlDeviceGetCount_v2"));
    const auto shutdown = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlShutdown"));
    unsigned devices = 0;
    if (init && count && shutdown && init() == 0) {
        if (count(&devices) != 0)
            devices = 0;
        shutdown();
    }
    ::dlclose(library);
    return static_cast<int>(devices);
}

Accelerator& loadAccelerator()
{
    static Accelerator* accelerator = [] {
        void* module = ::dlopen(modulePath().c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!module)
            throw EngineError(EngineError::Kind::Failure,
                "the CUDA module cannot be loaded (" + std::string(::dlerror())
                    + "); run.device = cpu trains without it");
        const auto make = reinterpret_cast<Accelerator* (*)()>(::dlsym(module, "atelierAccelerator"));
        if (!make)
            throw EngineError(EngineError::Kind::Failure,
                modulePath() + " is of another version of Atelier: build it again");
        return make();
    }();
    return *accelerator;
}

c10::DeviceType chooseDevice(const std::string& requested, int localWorldSize)
{
    if (requested == "cpu")
        return c10::DeviceType::CPU;
    const int gpus = gpuCount();
    if (gpus >= localWorldSize)
        return c10::DeviceType::CUDA;
    if (requested == "cuda")
        throw EngineError(EngineError::Kind::Failure,
            "run.device = cuda needs a GPU for each of the " + std::to_string(localWorldSize)
                + " ranks of this host, but " + std::to_string(gpus)
                + " were found; lower launch.ranks or set run.device = cpu");
    return c10::DeviceType::CPU;
}

}  // namespace engine
