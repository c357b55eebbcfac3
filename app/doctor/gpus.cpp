// Finds GPUs with NVML, which is part of the driver.
#include "app/doctor/finding.h"

#include "app/cli/format.h"
#include "launcher/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace app {
namespace {

using launcher::Nvml;

constexpr char kVisible[] = "CUDA_VISIBLE_DEVICES";

bool isVisible(const std::string& uuid, const std::vector<std::string>& uuids)
{
    const auto visible = launcher::visibleGpus(uuids, std::getenv(kVisible));
    return std::ranges::find(visible, uuid) != visible.end();
}

Finding examineGpu(const Nvml& nvml, unsigned index, const std::string& driver, const std::vector<std::string>& uuids)
{
    Finding finding {.level = Finding::Level::Good, .what = "GPU " + std::to_string(index), .found = {},
        .meaning = "ranks can train on it"};
    Nvml::Device device = nullptr;
    std::array<char, 96> name {}, uuid {};
    Nvml::Memory memory {};
    int error = nvml.handle(index, &device);
    error = error ? error : nvml.name(device, name.data(), name.size());
    error = error ? error : nvml.uuid(device, uuid.data(), uuid.size());
    error = error ? error : nvml.memory(device, &memory);
    if (error)
        return {Finding::Level::Problem, finding.what, nvml.errorText(error),
            "the driver cannot use it: see `nvidia-smi` for details"};
    finding.found = std::string(name.data()) + ", " + formatBytes(memory.free) + " of "
        + formatBytes(memory.total) + " free, driver " + driver;
    if (!isVisible(uuid.data(), uuids)) {
        finding.level = Finding::Level::Note;
        finding.meaning = std::string(kVisible) + " hides it from ranks that are started from here";
    }
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
        return {{Finding::Level::Note, "GPUs", "the NVIDIA driver finds no GPU", "ranks train on the CPU"}};
    const std::vector<std::string> uuids = launcher::hostGpus();
    Findings findings;
    for (unsigned index = 0; index < count; ++index)
        findings.push_back(examineGpu(nvml, index, driver.data(), uuids));
    return findings;
}

}  // namespace

Findings examineGpus()
{
    void* library = ::dlopen(Nvml::kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return {{Finding::Level::Note, "GPUs", "no NVIDIA driver (libnvidia-ml.so.1)",
            "ranks train on the CPU and communicate through Gloo"}};
    Nvml nvml;
    Findings findings;
    if (!nvml.load(library)) {
        findings = {{Finding::Level::Problem, "GPUs", "the driver's NVML lacks functions that Atelier needs",
            "update the NVIDIA driver; until then ranks train on the CPU"}};
    } else if (const int error = nvml.init()) {
        findings = {{Finding::Level::Problem, "GPUs", std::string("NVML: ") + nvml.errorText(error),
            "the driver is installed but does not work: see `nvidia-smi` for details"}};
    } else {
        findings = examineWith(nvml);
        nvml.shutdown();
    }
    ::dlclose(library);
    return findings;
}

}  // namespace app
