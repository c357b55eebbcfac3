// Finds LibTorch and NCCL as the worker does, and determines their versions.
#include "app/doctor/finding.h"
#include "app/doctor/libtorch_place.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace app {
namespace {

namespace fs = std::filesystem;

/// Searches in the worker's order: LD_LIBRARY_PATH, then the folder that it was built or packaged with. Empty when there is none.
fs::path torchLibraries()
{
    std::error_code error;
    const char* path = std::getenv("LD_LIBRARY_PATH");
    std::string folders = path ? path : "";
    for (std::size_t begin = 0; begin < folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const fs::path folder = folders.substr(begin, end - begin);
        if (!folder.empty() && fs::exists(folder / "libtorch_cpu.so", error))
            return folder;
        begin = end + 1;
    }
    for (const char* folder : {kLibTorchFolder, kPackagedLibTorchFolder}) {
        if (fs::exists(fs::path(folder) / "lib/libtorch_cpu.so", error))
            return fs::path(folder) / "lib";
    }
    return {};
}

/// The folder in which somebody who misses LibTorch expects it.
const char* expectedFolder()
{
    std::error_code error;
    return fs::exists(kLibTorchFolder, error) ? kLibTorchFolder : kPackagedLibTorchFolder;
}

/// Reads version.py of a wheel ("__version__ = '2.11.0+cu130'") or build-version of a LibTorch archive.
std::string torchVersion(const fs::path& torchFolder)
{
    std::string line;
    std::ifstream plain(torchFolder / "build-version");
    if (std::getline(plain, line) && !line.empty())
        return line;
    std::ifstream wheel(torchFolder / "version.py");
    while (std::getline(wheel, line)) {
        const std::size_t begin = line.find('\'');
        if (line.starts_with("__version__") && begin != std::string::npos)
            return line.substr(begin + 1, line.rfind('\'') - begin - 1);
    }
    return "unknown version";
}

/// Formats NCCL's version code: 22809 is "2.28.9".
std::string ncclVersion(int code)
{
    return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "."
        + std::to_string(code % 100);
}

}  // namespace

Findings examineTorch()
{
    const fs::path libraries = torchLibraries();
    if (libraries.empty())
        return {{Finding::Level::Problem, "LibTorch", std::string("not in ") + expectedFolder(),
            "workers cannot start: run app/setup (of the Debian package: sudo atelier-setup), or add LibTorch's lib folder to LD_LIBRARY_PATH"}};
    Findings findings = {{Finding::Level::Good, "LibTorch",
        torchVersion(libraries.parent_path()) + " in " + libraries.string(), "workers use it"}};
    std::error_code error;
    const bool hasCuda = fs::exists(libraries / "libtorch_cuda.so", error);
    if (!hasCuda)
        findings.push_back({Finding::Level::Note, "CUDA in LibTorch", "no libtorch_cuda.so in that folder",
            "this LibTorch is for CPUs only"});
    else if (!kIsCudaModuleBuilt)
        findings.push_back({Finding::Level::Note, "CUDA module",
            "not built: the CUDA headers were missing when Atelier was built",
            "ranks train on the CPU; run app/setup and build again for GPUs"});
    else
        findings.push_back({Finding::Level::Good, "CUDA module", "built", "workers load it on machines with GPUs"});
    return findings;
}

Findings examineNccl()
{
    const fs::path wheel = fs::path(expectedFolder()) / "../nvidia/nccl/lib/libnccl.so.2";
    void* library = ::dlopen("libnccl.so.2", RTLD_LAZY | RTLD_LOCAL);
    std::string place = "the system's libnccl.so.2";
    if (!library) {
        place = wheel.lexically_normal().string();
        library = ::dlopen(wheel.c_str(), RTLD_LAZY | RTLD_LOCAL);
    }
    if (!library)
        return {{Finding::Level::Note, "NCCL", "no libnccl.so.2 on this machine or next to LibTorch",
            "ranks on GPUs cannot communicate; on the CPU they use Gloo"}};
    int code = 0;
    const auto getVersion = reinterpret_cast<int (*)(int*)>(::dlsym(library, "ncclGetVersion"));
    const bool isKnown = getVersion && getVersion(&code) == 0;
    ::dlclose(library);
    return {{Finding::Level::Good, "NCCL", (isKnown ? ncclVersion(code) : "unknown version") + ", " + place,
        "ranks on GPUs communicate through it"}};
}

}  // namespace app
