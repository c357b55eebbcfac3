#include "engine/data/clip_file.h"

#include "engine/comm/errors.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace engine {
namespace {

constexpr char kClipModule[] = "libatelier_clips.so";

void* loadedClipModule()
{
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    if (void* module = ::dlopen((program.parent_path() / kClipModule).c_str(), RTLD_NOW | RTLD_LOCAL))
        return module;
    return ::dlopen(kClipModule, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

const ClipFiles& clipFiles()
{
    static const ClipFiles& files = [&]() -> const ClipFiles& {
        void* const module = loadedClipModule();
        if (!module)
            throw EngineError(EngineError::Kind::Failure, "clips cannot be read (" + std::string(::dlerror())
                    + "): install FFmpeg's libraries, or give folders of frames");
        const auto make = reinterpret_cast<const ClipFiles* (*)()>(::dlsym(module, "atelierClipFiles"));
        if (!make)
            throw EngineError(EngineError::Kind::Failure, std::string(kClipModule) + " is of another version of Atelier: build it again");
        return *make();
    }();
    return files;
}

bool hasClipName(const std::filesystem::path& file)
{
    constexpr std::array<std::string_view, 11> kEndings
        = {".avi", ".gif", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ogv", ".ts", ".webm"};
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(kEndings, ending) != kEndings.end();
}

}  // namespace engine
