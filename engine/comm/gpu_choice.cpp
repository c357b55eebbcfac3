#include "engine/comm/gpu_choice.h"

#include "engine/comm/errors.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <map>

namespace engine {
namespace {

/// The driver's functions, declared here so that building does not need its header. They return 0 on success.
struct Driver {
    int (*init)(unsigned flags) = nullptr;
    int (*count)(int*) = nullptr;
    int (*device)(int* device, int ordinal) = nullptr;
    int (*uuid)(std::array<unsigned char, 16>*, int device) = nullptr;

    bool load(void* library)
    {
        return find(library, "cuInit", init) && find(library, "cuDeviceGetCount", count) && find(library, "cuDeviceGet", device)
            && find(library, "cuDeviceGetUuid_v2", uuid);
    }

private:
    template <typename Function>
    static bool find(void* library, const char* symbol, Function& function)
    {
        function = reinterpret_cast<Function>(::dlsym(library, symbol));
        return function != nullptr;
    }
};

std::string uuidText(const std::array<unsigned char, 16>& bytes)
{
    std::string text = "GPU";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
        text += (i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
    }
    return text;
}

}  // namespace

std::vector<std::string> visibleGpus()
{
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // stays loaded: CUDA uses it next
    Driver driver;
    int count = 0;
    if (!library || !driver.load(library) || driver.init(0) != 0 || driver.count(&count) != 0)
        return {};
    std::vector<std::string> uuids;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        int device = 0;
        std::array<unsigned char, 16> uuid {};
        if (driver.device(&device, ordinal) != 0 || driver.uuid(&uuid, device) != 0)
            break;
        uuids.push_back(uuidText(uuid));
    }
    return uuids;
}

int gpuOrdinal(int visible, int localRank) { return localRank % visible; }

std::string gpuProblem(const std::vector<std::string>& chosen, bool mayShare)
{
    std::map<std::string, std::size_t> owners;
    for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
        if (chosen[rank].empty())
            return "rank " + std::to_string(rank) + " sees no GPU";
        const auto [owner, isNew] = owners.emplace(chosen[rank], rank);
        if (!isNew && !mayShare)
            return "ranks " + std::to_string(owner->second) + " and " + std::to_string(rank) + " see the same GPU and no other";
    }
    return {};
}

GpuChoice chooseGpu(const std::string& requested, const RankIdentity& identity, Rendezvous& rendezvous, const DeviceWords& words)
{
    if (requested == "cpu")
        return {};
    const std::vector<std::string> visible = visibleGpus();
    const int ordinal = visible.empty() ? 0 : gpuOrdinal(static_cast<int>(visible.size()), identity.localRank);
    const auto chosen = rendezvous.gather("GPU", visible.empty() ? std::string() : visible[static_cast<std::size_t>(ordinal)]);
    const std::string problem = gpuProblem(chosen, requested == "cuda" && rendezvous.exchange() == Exchange::Gloo);
    if (problem.empty())
        return {ordinal, {}};
    if (requested == "cuda")
        throw EngineError(EngineError::Kind::Failure,
            std::string(words.request) + " needs a GPU for each rank, but " + problem + "; " + words.advice);
    return {std::nullopt, visible.empty() ? std::string() : "trains on the CPU: " + problem};
}

}  // namespace engine
