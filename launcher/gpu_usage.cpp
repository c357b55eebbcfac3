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

GpuMeter::GpuMeter()
    : m_library(::dlopen(Nvml::kLibrary, RTLD_NOW | RTLD_LOCAL))
{
    unsigned count = 0;
    if (!m_library || !m_nvml.load(m_library) || m_nvml.init() != 0 || m_nvml.count(&count) != 0)
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
    if (m_nvml.shutdown)
        m_nvml.shutdown();
    if (m_library)
        ::dlclose(m_library);
}

std::vector<GpuUsage> GpuMeter::read(const std::vector<std::int64_t>& processes) const
{
    std::vector<GpuUsage> all;
    for (const Device& device : m_devices) {
        GpuUsage& usage = all.emplace_back();
        usage.index = device.index;
        Nvml::Memory memory {};
        if (m_nvml.memory(device.handle, &memory) == 0)
            usage.memoryUsed = static_cast<std::int64_t>(memory.used);
        usage.memoryOfRun = bytesOf(m_nvml, device.handle, processes);
        Nvml::Utilization load {};
        if (m_nvml.utilization && m_nvml.utilization(device.handle, &load) == 0)
            usage.load = load.gpu / 100.0;
        unsigned value = 0;
        if (m_nvml.power && m_nvml.power(device.handle, &value) == 0)
            usage.watts = value / 1000.0;
        if (m_nvml.temperature && m_nvml.temperature(device.handle, kGpuTemperature, &value) == 0)
            usage.celsius = value;
        unsigned long long reasons = 0;
        if (m_nvml.throttling && m_nvml.throttling(device.handle, &reasons) == 0)
            usage.isThrottled = (reasons & kSlowedDown) != 0;
    }
    return all;
}

}  // namespace launcher
