// NVML, the part of NVIDIA's driver that lists GPUs. It shows the host's GPUs whatever CUDA_VISIBLE_DEVICES says.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

/// The functions of NVML that Atelier uses, declared here so that neither the CUDA toolkit nor the driver is needed to build.
/// They return 0 on success.
struct Nvml {
    struct Memory {
        unsigned long long total;
        unsigned long long free;
        unsigned long long used;
    };
    /// A process that computes on a device.
    struct Process {
        unsigned id;
        unsigned long long bytes;  ///< of the device's memory; kUnknown when the driver does not tell
    };
    static constexpr unsigned long long kUnknown = ~0ULL;
    /// Percent of the last moments.
    struct Utilization {
        unsigned gpu;
        unsigned memory;
    };
    using Device = void*;

    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, Device*) = nullptr;
    int (*name)(Device, char*, unsigned) = nullptr;
    int (*uuid)(Device, char*, unsigned) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*processes)(Device, unsigned*, Process*) = nullptr;  ///< that compute; with a count of 0 returns 0 only when there are none
    int (*driver)(char*, unsigned) = nullptr;
    const char* (*errorText)(int) = nullptr;
    // Null when the driver does not have them.
    int (*utilization)(Device, Utilization*) = nullptr;
    int (*power)(Device, unsigned*) = nullptr;             ///< milliwatts
    int (*temperature)(Device, int, unsigned*) = nullptr;  ///< of the sensor; °C
    int (*throttling)(Device, unsigned long long*) = nullptr;  ///< bits of reasons

    static constexpr char kLibrary[] = "libnvidia-ml.so.1";

    /// Those that compute on a device, at most 1024; nullopt when the driver does not tell.
    std::optional<std::vector<Process>> processesOn(Device device) const;

    /// @param library from dlopen() @return whether it has all functions but those that may be null
    bool load(void* library);
};

/// The UUIDs of the GPUs that NVML lists, in its order; empty without a driver.
std::vector<std::string> hostGpus();

/// The UUIDs of the GPUs on which no process computes, among those that this process may use; empty without a driver.
std::vector<std::string> idleGpus();

/// Which GPUs a program that is started with @p variable as CUDA_VISIBLE_DEVICES can use: their UUIDs in CUDA's order, and MIG
/// devices by the names in the variable. By CUDA's rules: entries are indices or UUIDs, or unique beginnings of UUIDs; the first
/// entry that names no device hides itself and all after it; an entry that occurs twice hides everything.
/// @param uuids of the host's GPUs @param variable nullptr when it is not set
std::vector<std::string> visibleGpus(const std::vector<std::string>& uuids, const char* variable);

}  // namespace launcher
