#include "engine/rewards/http_client.h"

#include "engine/comm/errors.h"
#include "engine/comm/loaded_module.h"

#include <dlfcn.h>

namespace engine {
namespace {

constexpr char kHttpModule[] = "libatelier_http.so";

}  // namespace

std::unique_ptr<HttpClient> makeHttpClient()
{
    using Make = HttpClient* (*)();
    static const Make make = [] {
        void* const module = loadedModule(kHttpModule);
        if (!module)
            throw EngineError(EngineError::Kind::Failure,
                "rewards of a server cannot be used (" + std::string(::dlerror()) + "): install libcurl (Debian's libcurl4)");
        const auto found = reinterpret_cast<Make>(::dlsym(module, "atelierHttpClient"));
        if (!found)
            throw EngineError(EngineError::Kind::Failure,
                std::string(kHttpModule) + " belongs to a different version of Atelier; build it again");
        return found;
    }();
    return std::unique_ptr<HttpClient>(make());
}

}  // namespace engine
