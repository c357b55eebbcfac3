// GPUs by NVML, which comes with the driver: our own declarations of the few calls, so that neither a
// toolkit nor the driver is needed to build.
#include "app/doctor/finding.h"

#include "app/cli/format.h"

#include <dlfcn.h>

#include <array>

namespace app {
namespace {

// From NVIDIA's published interface: a return code of 0 is success.
struct NvmlMemory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};
using NvmlDevice = void*;

struct Nvml {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, NvmlDevice*) = nullptr;
    int (*name)(NvmlDevice, char*, unsigned) = nullptr;
    int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
    int (*driver)(char*, unsigned) = nullptr;
    const char* (*errorText)(int) = nullptr;

    bool load(void* library)
    {
        return find(library, "nvmlInit_v2", init) && find(library, "nvmlShutdown", shutdown)
            && find(library, "nvmlDeviceGetCount_v2", count)
            && find(library, "nvmlDeviceGetHandleByIndex_v2", handle)
            && find(library, "nvmlDeviceGetName", name)
            && find(library, "nvmlDeviceGetMemoryInfo", memory)
            && find(library, "nvmlSystemGetDriverVersion", driver)
            && find(library, "nvmlErrorString", errorText);
    }

private:
    template <typename Function>
    static bool find(void* library, const char* symbol, Function& function)
    {
        function = reinterpret_cast<Function>(::dlsym(library, symbol));
        return function != nullptr;
    }
};

Finding examineGpu(const Nvml& nvml, unsigned index, const std::string& driver)
{
    Finding finding {.level = Finding::Level::Good, .what = "GPU " + std::to_string(index), .found = {},
        .meaning = "ranks can train on it"};
    NvmlDevice device = nullptr;
    std::array<char, 96> name {};
    NvmlMemory memory {};
    int error = nvml.handle(index, &device);
    error = error ? error : nvml.name(device, name.data(), name.size());
    error = error ? error : nvml.memory(device, &memory);
    if (error)
        return {Finding::Level::Problem, finding.what, nvml.errorText(error),
            "the driver cannot use it: `nvidia-smi` tells more"};
    finding.found = std::string(name.data()) + ", " + formatBytes(memory.free) + " of "
        + formatBytes(memory.total) + " free, driver " + driver;
    return finding;
}

Findings examineWith(const Nvml& nvml)
{
    std::array<char, 96> driver {};
    unsigned count = 0;
    nvml.driver(driver.data(), driver.size());
    if (const int error = nvml.count(&count))
        return {{Finding::Level::Problem, "GPUs", nvml.errorText(error), "ranks train on the CPU"}};
    if (count == 0)
        return {{Finding::Level::Note, "GPUs", "a driver, but no GPU", "ranks train on the CPU"}};
    Findings findings;
    for (unsigned index = 0; index < count; ++index)
        findings.push_back(examineGpu(nvml, index, driver.data()));
    return findings;
}

}  // namespace

Findings examineGpus()
{
    void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return {{Finding::Level::Note, "GPUs", "no NVIDIA driver (libnvidia-ml.so.1)",
            "ranks train on the CPU, by Gloo"}};
    Nvml nvml;
    Findings findings;
    if (!nvml.load(library)) {
        findings = {{Finding::Level::Problem, "GPUs", "the driver's NVML lacks calls that are needed",
            "update the NVIDIA driver; until then ranks train on the CPU"}};
    } else if (const int error = nvml.init()) {
        findings = {{Finding::Level::Problem, "GPUs", std::string("NVML: ") + nvml.errorText(error),
            "the driver is installed but does not run: `nvidia-smi` tells more"}};
    } else {
        findings = examineWith(nvml);
        nvml.shutdown();
    }
    ::dlclose(library);
    return findings;
}

}  // namespace app
