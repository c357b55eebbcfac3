#include "launcher/machine/gpus.h"

#include "engine/contract/experiment/gpu_names.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/run/run_folder.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/machine/nvml.h"

#include <dlfcn.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace launcher {
namespace {

namespace fs = std::filesystem;

std::string userName(uid_t user)
{
    std::array<char, 4096> memory {};
    passwd entry {};
    passwd* found = nullptr;
    return ::getpwuid_r(user, &entry, memory.data(), memory.size(), &found) == 0 && found ? found->pw_name : std::to_string(user);
}

/// The words of a process's command line; empty when there is no such process, or it belongs to the kernel.
std::vector<std::string> commandLine(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');)
        words.push_back(word);
    return words;
}

GpuProcess processOf(const Nvml::Process& process)
{
    GpuProcess result;
    result.process = static_cast<pid_t>(process.id);
    result.bytes = process.bytes == Nvml::kUnknown ? 0 : process.bytes;
    struct stat owner {};
    const std::vector<std::string> words = commandLine(result.process);
    if (words.empty() || ::stat(("/proc/" + std::to_string(result.process)).c_str(), &owner) != 0)
        return result;
    result.user = userName(owner.st_uid);
    result.program = fs::path(words.front()).filename().string();
    const auto run = std::ranges::find(words, "--run");
    if (result.program == "atelier-worker" && run != words.end() && run + 1 != words.end())
        result.run = fs::path(*(run + 1)).lexically_normal().filename().string();
    return result;
}

std::vector<GpuProcess> processesOn(const Nvml& nvml, Nvml::Device device)
{
    std::vector<GpuProcess> processes;
    std::ranges::transform(nvml.processesOn(device).value_or(std::vector<Nvml::Process>()), std::back_inserter(processes), processOf);
    return processes;
}

void readDevices(const Nvml& nvml, GpuList& list)
{
    std::array<char, 96> driver {};
    unsigned count = 0;
    nvml.driver(driver.data(), driver.size());
    list.driver = driver.data();
    if (const int error = nvml.count(&count)) {
        list.problem = nvml.errorText(error);
        list.isDriverBroken = true;
        return;
    }
    if (count == 0)
        list.problem = "the NVIDIA driver finds no GPU";
    for (unsigned index = 0; index < count; ++index) {
        Nvml::Device device = nullptr;
        std::array<char, 96> name {}, uuid {};
        Nvml::Memory memory {};
        int error = nvml.handle(index, &device);
        error = error ? error : nvml.name(device, name.data(), name.size());
        error = error ? error : nvml.uuid(device, uuid.data(), uuid.size());
        error = error ? error : nvml.memory(device, &memory);
        if (error) {
            list.problem = "GPU " + std::to_string(index) + ": " + nvml.errorText(error);
            list.isDriverBroken = true;
            continue;
        }
        list.gpus.push_back({.index = static_cast<int>(index), .uuid = uuid.data(), .name = name.data(), .totalBytes = memory.total,
            .freeBytes = memory.free, .processes = processesOn(nvml, device), .isVisible = true, .now = readLoad(nvml, device)});
    }
}

void markVisible(std::vector<Gpu>& gpus)
{
    std::vector<std::string> uuids;
    std::ranges::transform(gpus, std::back_inserter(uuids), &Gpu::uuid);
    const auto visible = visibleGpus(uuids, std::getenv("CUDA_VISIBLE_DEVICES"));
    for (Gpu& gpu : gpus)
        gpu.isVisible = std::ranges::find(visible, gpu.uuid) != visible.end();
}

/// The value of a variable in the environment of a process of this user.
std::string variableOf(std::int64_t process, const std::string& name)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
    for (std::string entry; std::getline(file, entry, '\0');) {
        if (entry.starts_with(name + "="))
            return entry.substr(name.size() + 1);
    }
    return {};
}

}  // namespace

std::string GpuProcess::words() const
{
    std::string text = "process " + std::to_string(process);
    if (!run.empty())
        text = "a rank of run " + run;
    else if (!program.empty())
        text = program + " (process " + std::to_string(process) + " of " + user + ")";
    char size[32];
    std::snprintf(size, sizeof size, ", %.1f GB", static_cast<double>(bytes) / 1e9);
    return bytes > 0 ? text + size : text;
}

GpuList readGpus()
{
    GpuList list;
    void* const library = ::dlopen(Nvml::kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        list.problem = std::string("no NVIDIA driver (") + Nvml::kLibrary + ")";
        return list;
    }
    Nvml nvml;
    if (!nvml.load(library)) {
        list.problem = "the NVIDIA driver's NVML lacks functions that Atelier needs";
        list.isDriverBroken = true;
    } else if (const int error = nvml.init()) {
        list.problem = std::string("the NVIDIA driver does not work: ") + nvml.errorText(error);
        list.isDriverBroken = true;
    } else {
        readDevices(nvml, list);
        nvml.shutdown();
    }
    ::dlclose(library);
    markVisible(list.gpus);
    return list;
}

std::vector<std::string> chosenGpus(const contract::Experiment& experiment, const std::vector<std::string>& uuids)
{
    if (contract::namedGpus(experiment).empty())
        return {};
    return visibleGpus(uuids, experiment.text("launch.gpus").c_str());
}

std::vector<std::string> freeGpus(const std::filesystem::path& runs)
{
    std::vector<std::string> gpus = idleGpus();
    for (const std::filesystem::path& root : contract::entriesOf(runs)) {
        const contract::RunFolder folder(root);
        const auto owner = gpus.empty() || !contract::isLocked(folder) ? std::nullopt : contract::lockOwner(folder);
        if (!owner || owner->host != contract::hostName())
            continue;
        const std::string given = variableOf(owner->processId, "CUDA_VISIBLE_DEVICES");
        std::erase_if(gpus, [&](const std::string& uuid) { return given.find(uuid) != std::string::npos; });
    }
    return gpus;
}

}  // namespace launcher
