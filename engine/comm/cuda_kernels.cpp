#include "engine/comm/cuda_kernels.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

/// NVRTC's functions. LibTorch knows where it lies: a small library of its own, libcaffe2_nvrtc.so, links it.
class Nvrtc {
public:
    Nvrtc()
    {
        const std::string name = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
        void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library && ::dlopen("libcaffe2_nvrtc.so", RTLD_NOW | RTLD_LOCAL))
            library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (!library)
            throw std::runtime_error(std::string("NVRTC, the compiler of CUDA, cannot be loaded: ") + ::dlerror());
        const auto find = [&](auto& function, const char* symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
            if (!function)
                throw std::runtime_error(name + " has no " + symbol);
        };
        find(version, "nvrtcVersion");
        find(create, "nvrtcCreateProgram");
        find(compile, "nvrtcCompileProgram");
        find(destroy, "nvrtcDestroyProgram");
        find(binarySize, "nvrtcGetCUBINSize");
        find(binary, "nvrtcGetCUBIN");
        find(logSize, "nvrtcGetProgramLogSize");
        find(log, "nvrtcGetProgramLog");
    }

    decltype(&nvrtcVersion) version;
    decltype(&nvrtcCreateProgram) create;
    decltype(&nvrtcCompileProgram) compile;
    decltype(&nvrtcDestroyProgram) destroy;
    decltype(&nvrtcGetCUBINSize) binarySize;
    decltype(&nvrtcGetCUBIN) binary;
    decltype(&nvrtcGetProgramLogSize) logSize;
    decltype(&nvrtcGetProgramLog) log;
};

std::string compiled(const Nvrtc& nvrtc, const std::vector<std::string>& options)
{
    nvrtcProgram program = nullptr;
    const std::string source(cuda::source());
    if (nvrtc.create(&program, source.c_str(), "atelier.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
        throw std::runtime_error("NVRTC does not start");
    std::vector<const char*> texts;
    for (const std::string& option : options)
        texts.push_back(option.c_str());
    const nvrtcResult result = nvrtc.compile(program, static_cast<int>(texts.size()), texts.data());
    std::size_t bytes = 0;
    std::string text;
    if (result == NVRTC_SUCCESS) {
        nvrtc.binarySize(program, &bytes);
        text.resize(bytes);
        nvrtc.binary(program, text.data());
    } else {
        nvrtc.logSize(program, &bytes);
        text.resize(bytes);
        nvrtc.log(program, text.data());
    }
    nvrtc.destroy(&program);
    if (result != NVRTC_SUCCESS)
        throw std::runtime_error("NVRTC: " + text.substr(0, text.find('\n')));
    return text;
}

/// FNV-1a.
std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

std::string hexadecimal(std::uint64_t value)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

/// Empty when there is no home.
fs::path cacheFolder()
{
    if (const char* const own = std::getenv("ATELIER_HOME"); own && *own)
        return fs::path(own) / "cache" / "kernels";
    if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return fs::path(cache) / "atelier" / "kernels";
    const char* const home = std::getenv("HOME");
    return home && *home ? fs::path(home) / ".cache" / "atelier" / "kernels" : fs::path();
}

/// A kept result begins with the hash of the rest, so that a damaged file is compiled again.
std::optional<std::string> kept(const fs::path& file)
{
    constexpr std::uintmax_t kMost = 64 << 20;
    std::error_code error;
    if (const auto bytes = fs::file_size(file, error); error || bytes > kMost)
        return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    const std::string all {std::istreambuf_iterator<char>(stream), {}};
    const std::size_t hashLength = hexadecimal(0).size();
    if (all.size() <= hashLength || all.substr(0, hashLength) != hexadecimal(hashOf(std::string_view(all).substr(hashLength))))
        return std::nullopt;
    return all.substr(hashLength);
}

/// Without effect where the folder cannot be written: the next process compiles again.
void keep(const fs::path& file, const std::string& binary)
{
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    const fs::path temporary = file.string() + "." + std::to_string(::getpid());
    std::ofstream stream(temporary, std::ios::binary);
    stream << hexadecimal(hashOf(binary)) << binary;
    stream.close();
    if (stream)
        fs::rename(temporary, file, error);
    if (!stream || error)
        fs::remove(temporary, error);
}

class CompiledKernels final : public cuda::Launcher {
public:
    const void* find(const std::string& kernel) override
    {
        const std::lock_guard lock(m_mutex);
        if (!m_isTried)
            compile();
        if (!m_library)
            return nullptr;
        cudaKernel_t& found = m_kernels[kernel];
        if (!found)
            C10_CUDA_CHECK(cudaLibraryGetKernel(&found, m_library, kernel.c_str()));
        return found;
    }

    void launch(const void* kernel, cuda::Extent grid, cuda::Extent block, void** arguments) override
    {
        C10_CUDA_CHECK(cudaLaunchKernel(kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, arguments, 0,
            c10::cuda::getCurrentCUDAStream().stream()));
    }

    int multiprocessors() const override
    {
        static const int count = [] {
            int value = 0;
            C10_CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, c10::cuda::current_device()));
            return value;
        }();
        return count;
    }

private:
    void compile()
    {
        m_isTried = true;
        try {
            load();
        } catch (const std::exception& error) {
            const std::string text = error.what();
            std::fprintf(stderr, "warning: our own kernels are not used, LibTorch's operators are: %s\n", text.substr(0, text.find('\n')).c_str());
        }
    }

    void load()
    {
        int major = 0, minor = 0, driver = 0, nvrtcMajor = 0, nvrtcMinor = 0;
        const int device = c10::cuda::current_device();
        C10_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        C10_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
        C10_CUDA_CHECK(cudaDriverGetVersion(&driver));
        const Nvrtc nvrtc;
        nvrtc.version(&nvrtcMajor, &nvrtcMinor);
        const std::vector<std::string> options = {"--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor), "--std=c++17"};
        std::string key(cuda::source());
        for (const std::string& option : options)
            key += option + '\n';
        for (const int version : {nvrtcMajor, nvrtcMinor, driver})
            key += std::to_string(version) + '\n';
        const fs::path folder = cacheFolder(), file = folder / (hexadecimal(hashOf(key)) + ".cubin");
        auto binary = folder.empty() ? std::nullopt : kept(file);
        if (!binary) {
            binary = compiled(nvrtc, options);
            if (!folder.empty())
                keep(file, *binary);
        }
        C10_CUDA_CHECK(cudaLibraryLoadData(&m_library, binary->data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    }

    std::mutex m_mutex;
    bool m_isTried = false;
    cudaLibrary_t m_library = nullptr;
    std::map<std::string, cudaKernel_t> m_kernels;
};

}  // namespace

cuda::Launcher& compiledKernels()
{
    static CompiledKernels kernels;
    return kernels;
}

}  // namespace engine
