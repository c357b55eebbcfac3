// libnvidia-ml.so.1 for machines without a driver: a real shared library with NVML's C functions, which answer from the file that
// FAKE_NVML names, read anew at each nvmlInit_v2(). A line is a GPU: UUID|NAME|TOTAL|FREE|PROCESS:BYTES,PROCESS:BYTES; bytes.
// Instead of answering, nvmlInit_v2() waits while the file that FAKE_NVML names with ".hangs" at its end exists, as with a driver that hangs.
// Without the file the driver does not work, with an empty one it finds no GPU.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

enum Code { kSuccess = 0, kInvalidArgument = 2, kInsufficientSize = 7, kNotLoaded = 9 };

struct Process {
    unsigned id;
    unsigned long long bytes;
};

struct Memory {
    unsigned long long total, free, used;
};

struct Gpu {
    std::string uuid, name;
    Memory memory {};
    std::vector<Process> processes;
};

/// As of the last nvmlInit_v2() of this thread: others may ask at the same time.
std::vector<Gpu>& gpus()
{
    thread_local std::vector<Gpu> all;
    return all;
}

Gpu* gpuOf(void* device) { return static_cast<Gpu*>(device); }

int copy(const std::string& text, char* into, unsigned length)
{
    if (text.size() + 1 > length)
        return kInsufficientSize;
    std::memcpy(into, text.c_str(), text.size() + 1);
    return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2()
{
    const char* const file = std::getenv("FAKE_NVML");
    while (file && std::ifstream(std::string(file) + ".hangs"))
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream lines(file ? file : "");
    if (!lines)
        return kNotLoaded;
    gpus().clear();
    for (std::string line; std::getline(lines, line);) {
        std::istringstream parts(line);
        Gpu gpu;
        std::string total, free, process;
        std::getline(parts, gpu.uuid, '|');
        std::getline(parts, gpu.name, '|');
        std::getline(parts, total, '|');
        std::getline(parts, free, '|');
        gpu.memory = {std::stoull(total), std::stoull(free), std::stoull(total) - std::stoull(free)};
        while (std::getline(parts, process, ','))
            gpu.processes.push_back({unsigned(std::stoul(process)), std::stoull(process.substr(process.find(':') + 1))});
        gpus().push_back(gpu);
    }
    return kSuccess;
}

int nvmlShutdown() { return kSuccess; }

int nvmlDeviceGetCount_v2(unsigned* count)
{
    *count = unsigned(gpus().size());
    return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device)
{
    if (index >= gpus().size())
        return kInvalidArgument;
    *device = &gpus()[index];
    return kSuccess;
}

int nvmlDeviceGetName(void* device, char* name, unsigned length) { return copy(gpuOf(device)->name, name, length); }
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) { return copy(gpuOf(device)->uuid, uuid, length); }

int nvmlDeviceGetMemoryInfo(void* device, Memory* memory)
{
    *memory = gpuOf(device)->memory;
    return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned* count, Process* processes)
{
    const std::vector<Process>& all = gpuOf(device)->processes;
    const unsigned room = *count;
    *count = unsigned(all.size());
    if (all.size() > room)
        return kInsufficientSize;
    for (std::size_t i = 0; i < all.size(); ++i)
        processes[i] = all[i];
    return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void*, unsigned* rates)
{
    rates[0] = 87;
    rates[1] = 40;
    return kSuccess;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts)
{
    *milliwatts = 250'500;
    return kSuccess;
}

int nvmlDeviceGetTemperature(void*, int, unsigned* celsius)
{
    *celsius = 61;
    return kSuccess;
}

/// Idle, and slowed down by heat.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons)
{
    *reasons = 0x1 | 0x40;
    return kSuccess;
}

int nvmlSystemGetDriverVersion(char* version, unsigned length) { return copy("580.65.06", version, length); }

const char* nvmlErrorString(int code) { return code == kNotLoaded ? "Driver Not Loaded" : "Unknown Error"; }

}  // extern "C"
