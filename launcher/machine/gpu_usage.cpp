#include "launcher/machine/gpu_usage.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace launcher {
namespace {

// nvmlClocksThrottleReasons: hardware slowdown, software's and hardware's thermal slowdown, power brake.
constexpr unsigned long long kSlowedDown = 0x8 | 0x20 | 0x40 | 0x80;
constexpr int kGpuTemperature = 0;

std::optional<std::int64_t> bytesOf(const Nvml& nvml, Nvml::Device device, const std::vector<std::int64_t>& processes)
{
    const auto found = nvml.processesOn(device);
    if (!found)
        return {};
    std::int64_t bytes = 0;
    for (const Nvml::Process& process : *found) {
        if (std::ranges::find(processes, std::int64_t {process.id}) == processes.end())
            continue;
        if (process.bytes == Nvml::kUnknown)
            return {};
        bytes += static_cast<std::int64_t>(process.bytes);
    }
    return bytes;
}

}  // namespace

GpuLoad readLoad(const Nvml& nvml, Nvml::Device device)
{
    GpuLoad now;
    Nvml::Utilization load {};
    if (nvml.utilization && nvml.utilization(device, &load) == 0)
        now.load = load.gpu / 100.0;
    unsigned value = 0;
    if (nvml.power && nvml.power(device, &value) == 0)
        now.watts = value / 1000.0;
    if (nvml.temperature && nvml.temperature(device, kGpuTemperature, &value) == 0)
        now.celsius = value;
    unsigned long long reasons = 0;
    if (nvml.throttling && nvml.throttling(device, &reasons) == 0)
        now.isThrottled = (reasons & kSlowedDown) != 0;
    return now;
}

GpuMeter::GpuMeter()
    : m_library(::dlopen(Nvml::kLibrary, RTLD_NOW | RTLD_LOCAL))
{
    unsigned count = 0;
    m_isOpen = m_library && m_nvml.load(m_library) && m_nvml.init() == 0;
    if (!m_isOpen || m_nvml.count(&count) != 0)
        return;
    std::vector<std::string> uuids;
    std::vector<Device> devices;
    for (unsigned index = 0; index < count; ++index) {
        Device device {static_cast<int>(index), nullptr};
        std::array<char, 96> uuid {};
        if (m_nvml.handle(index, &device.handle) != 0 || m_nvml.uuid(device.handle, uuid.data(), uuid.size()) != 0)
            continue;
        uuids.emplace_back(uuid.data());
        devices.push_back(device);
    }
    const auto visible = visibleGpus(uuids, std::getenv("CUDA_VISIBLE_DEVICES"));
    for (std::size_t at = 0; at < devices.size(); ++at) {
        if (std::ranges::find(visible, uuids[at]) != visible.end())
            m_devices.push_back(devices[at]);
    }
}

GpuMeter::~GpuMeter()
{
    if (m_isOpen)  // each shutdown counts against one init, which may be another's
        m_nvml.shutdown();
    if (m_library)
        ::dlclose(m_library);
}

std::vector<GpuUsage> GpuMeter::read(const std::vector<std::int64_t>& processes) const
{
    std::vector<GpuUsage> all;
    for (const Device& device : m_devices) {
        GpuUsage& usage = all.emplace_back();
        static_cast<GpuLoad&>(usage) = readLoad(m_nvml, device.handle);
        usage.index = device.index;
        Nvml::Memory memory {};
        if (m_nvml.memory(device.handle, &memory) == 0)
            usage.memoryUsed = static_cast<std::int64_t>(memory.used);
        usage.memoryOfRun = bytesOf(m_nvml, device.handle, processes);
    }
    return all;
}

}  // namespace launcher
