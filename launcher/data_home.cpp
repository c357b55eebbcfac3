#include "launcher/base/data_home.h"

#include "engine/contract/run/user_folders.h"
#include "launcher/base/folders.h"
#include "launcher/base/path_hash.h"

#include <sys/un.h>
#include <unistd.h>

#include <string>

namespace launcher {
namespace {

namespace fs = std::filesystem;

// sun_path also has to hold a separator, the longest file name used in the runtime folder, and the terminating zero.
constexpr std::size_t kLongestSocketName = 24;
constexpr std::size_t kLongestRuntime = sizeof(sockaddr_un::sun_path) - kLongestSocketName - 2;

fs::path sharedFallback() { return "/tmp/atelier-" + std::to_string(::geteuid()); }

/// Used when the usual runtime folder is not available or its path is too long for a socket address.
fs::path fallbackRuntime(const fs::path& data) { return sharedFallback() / pathHash(data); }

fs::path shortEnough(const fs::path& runtime, const fs::path& data)
{
    return runtime.native().size() <= kLongestRuntime ? runtime : fallbackRuntime(data);
}

DataHome underOneFolder(const fs::path& home)
{
    return {.data = home,
        .config = contract::configFolder(),
        .state = home / "state",
        .cache = home / "cache",
        .runtime = shortEnough(home / "runtime", home)};
}

DataHome inXdgFolders()
{
    DataHome result {.data = contract::xdgFolder("XDG_DATA_HOME", ".local/share"),
        .config = contract::configFolder(),
        .state = contract::xdgFolder("XDG_STATE_HOME", ".local/state"),
        .cache = contract::xdgFolder("XDG_CACHE_HOME", ".cache"),
        .runtime = {}};
    const fs::path runtime = contract::pathInEnvironment("XDG_RUNTIME_DIR");
    // A server without a login session has no XDG_RUNTIME_DIR.
    result.runtime = runtime.is_absolute() ? shortEnough(runtime / "atelier", result.data)
                                           : fallbackRuntime(result.data);
    return result;
}

}  // namespace

DataHome DataHome::locate()
{
    const fs::path home = contract::pathInEnvironment("ATELIER_HOME");
    if (home.empty())
        return inXdgFolders();
    return under(home);
}

DataHome DataHome::under(const fs::path& folder)
{
    fs::path whole = fs::absolute(folder).lexically_normal();
    if (!whole.has_filename())
        whole = whole.parent_path();
    return underOneFolder(whole);
}

void DataHome::create() const
{
    for (const fs::path& folder : {data, runs(), config, state, cache})
        createFolder(folder);
    if (runtime.parent_path() == sharedFallback())
        createPrivateFolder(runtime.parent_path());
    else
        createFolder(runtime.parent_path());
    createPrivateFolder(runtime);
}

fs::path supervisorSocket(const DataHome& home, const fs::path& runFolder)
{
    return home.runtime / ("s-" + pathHash(runFolder));
}

}  // namespace launcher
