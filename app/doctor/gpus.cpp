// The GPUs that NVML, a part of the driver, finds.
#include "app/doctor/finding.h"

#include "app/cli/format.h"
#include "launcher/machine/gpus.h"

namespace app {
namespace {

Finding findingOf(const launcher::Gpu& gpu, const std::string& driver)
{
    Finding finding {.level = Finding::Level::Good, .what = "GPU " + std::to_string(gpu.index), .found = {}, .meaning = "ranks can train on it"};
    finding.found = gpu.name + ", " + formatBytes(gpu.freeBytes) + " of " + formatBytes(gpu.totalBytes) + " free, " + gpu.uuid + ", driver " + driver;
    for (const launcher::GpuProcess& process : gpu.processes)
        finding.found += "; used by " + process.words();
    if (!gpu.processes.empty()) {
        finding.level = Finding::Level::Note;
        finding.meaning = "ranks can train on it, but would share its memory";
    }
    if (!gpu.isVisible) {
        finding.level = Finding::Level::Note;
        finding.meaning = "CUDA_VISIBLE_DEVICES hides it from ranks that are started from here";
    }
    return finding;
}

}  // namespace

Findings examineGpus()
{
    const launcher::GpuList list = launcher::readGpus();
    Findings findings;
    if (!list.problem.empty())
        findings.push_back({list.isDriverBroken ? Finding::Level::Problem : Finding::Level::Note, "GPUs", list.problem,
            list.isDriverBroken ? "see `nvidia-smi` for details, or update the driver; until then ranks train on the CPU"
                                : "ranks train on the CPU and communicate through Gloo"});
    for (const launcher::Gpu& gpu : list.gpus)
        findings.push_back(findingOf(gpu, list.driver));
    return findings;
}

}  // namespace app
