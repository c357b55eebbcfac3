#include "engine/data/video_file.h"

#include "engine/comm/errors.h"
#include "engine/comm/loaded_module.h"

#include <dlfcn.h>

#include <string>

namespace engine {
namespace {

constexpr char kVideoModule[] = "libatelier_video.so";

}  // namespace

const VideoFiles& videoFiles()
{
    static const VideoFiles& files = [&]() -> const VideoFiles& {
        void* const module = loadedModule(kVideoModule);
        if (!module)
            throw EngineError(EngineError::Kind::Failure, "video files cannot be used (" + std::string(::dlerror())
                    + "): install FFmpeg's libraries, or use folders of frames");
        const auto make = reinterpret_cast<const VideoFiles* (*)()>(::dlsym(module, "atelierVideoFiles"));
        if (!make)
            throw EngineError(EngineError::Kind::Failure, std::string(kVideoModule) + " belongs to a different version of Atelier; build it again");
        return *make();
    }();
    return files;
}

}  // namespace engine
