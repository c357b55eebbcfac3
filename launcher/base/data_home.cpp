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

/// Above the folders of this user's data homes whose databases no folder of the user can hold.
fs::path sharedIndexes() { return "/var/tmp/atelier-" + std::to_string(::geteuid()); }

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
        .index = {},
        .config = contract::configFolder(),
        .state = home / "state",
        .cache = home / "cache",
        .runtime = shortEnough(home / "runtime", home)};
}

DataHome inXdgFolders()
{
    DataHome result {.data = contract::xdgFolder("XDG_DATA_HOME", ".local/share"),
        .index = {},
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

DataHome DataHome::locate(NetworkCheck check)
{
    const fs::path home = contract::pathInEnvironment("ATELIER_HOME");
    DataHome result = home.empty() ? inXdgFolders() : under(home, check);
    if (home.empty())
        result.chooseIndex(check);
    if (const fs::path chosen = contract::pathInEnvironment("ATELIER_INDEX"); chosen.is_absolute())
        result.index = chosen / pathHash(result.data);
    return result;
}

DataHome DataHome::under(const fs::path& folder, NetworkCheck check)
{
    fs::path whole = fs::absolute(folder).lexically_normal();
    if (!whole.has_filename())
        whole = whole.parent_path();
    DataHome result = underOneFolder(whole);
    result.chooseIndex(check);
    return result;
}

void DataHome::chooseIndex(NetworkCheck check)
{
    index = data;
    if (check(data).empty())
        return;
    if (check(state).empty())
        index = state / ("index-" + pathHash(data));
    else if (check(sharedIndexes()).empty())
        index = sharedIndexes() / pathHash(data);
}

void DataHome::createIndex() const
{
    if (index.parent_path() == sharedIndexes())
        createPrivateFolder(sharedIndexes());
    createFolder(index);
}

void DataHome::create() const
{
    for (const fs::path& folder : {data, runs(), trash(), config, state, cache})  // the trash already now: a full disk has no room for it
        createFolder(folder);
    createIndex();
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
