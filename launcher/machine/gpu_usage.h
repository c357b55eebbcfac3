// What the GPUs do, from NVML.
#pragma once
#include "launcher/machine/nvml.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace launcher {

/// What a GPU does at this moment, for all programs. Values are missing where the driver does not tell.
struct GpuLoad {
    std::optional<double> load;               ///< fraction of the last moments in which a kernel ran
    std::optional<double> watts;
    std::optional<double> celsius;
    std::optional<bool> isThrottled;          ///< slowed down by heat or by a lack of power
};

GpuLoad readLoad(const Nvml& nvml, Nvml::Device device);

struct GpuUsage : GpuLoad {
    int index = 0;  ///< NVML's
    std::optional<std::int64_t> memoryUsed;   ///< bytes, by all programs
    std::optional<std::int64_t> memoryOfRun;  ///< bytes, by the run's processes
};

/// Keeps the driver open, because opening it takes long.
class GpuMeter {
public:
    GpuMeter();
    ~GpuMeter();
    GpuMeter(const GpuMeter&) = delete;
    GpuMeter& operator=(const GpuMeter&) = delete;

    /// The GPUs that this process may use; none without a driver. @param processes of the run
    std::vector<GpuUsage> read(const std::vector<std::int64_t>& processes) const;

private:
    struct Device {
        int index = 0;
        Nvml::Device handle = nullptr;
    };

    void* m_library = nullptr;
    bool m_isOpen = false;
    Nvml m_nvml;
    std::vector<Device> m_devices;
};

}  // namespace launcher
