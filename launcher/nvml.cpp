#include "launcher/machine/nvml.h"

#include "engine/contract/formats/text.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace launcher {
namespace {

template <typename Function>
bool find(void* library, const char* symbol, Function& function)
{
    function = reinterpret_cast<Function>(::dlsym(library, symbol));
    return function != nullptr;
}

bool isIdle(const Nvml& nvml, Nvml::Device device)
{
    unsigned none = 0;
    return nvml.processes(device, &none, nullptr) == 0;
}

bool isAny(const Nvml&, Nvml::Device) { return true; }

std::vector<std::string> uuidsFrom(const Nvml& nvml, bool (*isWanted)(const Nvml&, Nvml::Device))
{
    unsigned count = 0;
    if (nvml.count(&count) != 0)
        return {};
    std::vector<std::string> uuids;
    for (unsigned index = 0; index < count; ++index) {
        Nvml::Device device = nullptr;
        std::array<char, 96> uuid {};
        if (nvml.handle(index, &device) == 0 && nvml.uuid(device, uuid.data(), uuid.size()) == 0 && isWanted(nvml, device))
            uuids.emplace_back(uuid.data());
    }
    return uuids;
}

/// The device that one entry of CUDA_VISIBLE_DEVICES names; nullopt when it names none.
std::optional<std::string> deviceOf(const std::string& entry, const std::vector<std::string>& uuids)
{
    if (entry.starts_with("MIG-"))
        return entry;
    if (entry.starts_with("GPU-")) {
        const auto isMeant = [&](const std::string& uuid) { return uuid.starts_with(entry); };
        const auto found = std::ranges::find_if(uuids, isMeant);
        return std::ranges::count_if(uuids, isMeant) == 1 ? std::optional(*found) : std::nullopt;
    }
    const auto index = contract::parseInteger(entry);
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(uuids.size()))
        return std::nullopt;
    return uuids[static_cast<std::size_t>(*index)];
}

}  // namespace

std::optional<std::vector<Nvml::Process>> Nvml::processesOn(Device device) const
{
    constexpr unsigned kMost = 1024;
    std::vector<Process> found(kMost);
    unsigned number = kMost;
    if (processes(device, &number, found.data()) != 0)
        return {};
    found.resize(std::min(number, kMost));
    return found;
}

bool Nvml::load(void* library)
{
    find(library, "nvmlDeviceGetUtilizationRates", utilization);
    find(library, "nvmlDeviceGetPowerUsage", power);
    find(library, "nvmlDeviceGetTemperature", temperature);
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", throttling);
    return find(library, "nvmlInit_v2", init) && find(library, "nvmlShutdown", shutdown)
        && find(library, "nvmlDeviceGetCount_v2", count)
        && find(library, "nvmlDeviceGetHandleByIndex_v2", handle)
        && find(library, "nvmlDeviceGetName", name)
        && find(library, "nvmlDeviceGetUUID", uuid)
        && find(library, "nvmlDeviceGetMemoryInfo", memory)
        && find(library, "nvmlDeviceGetComputeRunningProcesses", processes)
        && find(library, "nvmlSystemGetDriverVersion", driver)
        && find(library, "nvmlErrorString", errorText);
}

namespace {

std::vector<std::string> gpusThat(bool (*isWanted)(const Nvml&, Nvml::Device))
{
    void* const library = ::dlopen(Nvml::kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return {};
    Nvml nvml;
    std::vector<std::string> uuids;
    if (nvml.load(library) && nvml.init() == 0) {
        uuids = uuidsFrom(nvml, isWanted);
        nvml.shutdown();
    }
    ::dlclose(library);
    return uuids;
}

}  // namespace

std::vector<std::string> hostGpus() { return gpusThat(isAny); }

std::vector<std::string> idleGpus()
{
    const std::vector<std::string> idle = gpusThat(isIdle);
    std::vector<std::string> usable = visibleGpus(hostGpus(), std::getenv("CUDA_VISIBLE_DEVICES"));
    std::erase_if(usable, [&](const std::string& uuid) { return std::ranges::find(idle, uuid) == idle.end(); });
    return usable;
}

std::vector<std::string> visibleGpus(const std::vector<std::string>& uuids, const char* variable)
{
    if (!variable || uuids.empty())
        return uuids;
    std::vector<std::string> visible;
    const std::string_view text = variable;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::string entry(text.substr(begin, end - begin));
        std::erase(entry, ' ');
        const auto device = deviceOf(entry, uuids);
        if (!device)
            break;
        if (std::ranges::find(visible, *device) != visible.end())
            return {};
        visible.push_back(*device);
        begin = end + 1;
    }
    return visible;
}

}  // namespace launcher
