#include "app/cli/format.h"
#include "app/doctor/finding.h"
#include "launcher/base/data_home.h"
#include "storage/store.h"

#include <unistd.h>

#include <cstring>

namespace app {
namespace {

namespace fs = std::filesystem;

/// The folder itself, or the nearest one above it that exists.
fs::path existingPart(fs::path folder)
{
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path())
        folder = folder.parent_path();
    return folder;
}

Finding examineHome(const launcher::DataHome& home)
{
    const fs::path existing = existingPart(home.data);
    const bool exists = existing == home.data;
    const std::string name = home.data.string();
    if (::access(existing.c_str(), W_OK | X_OK) != 0)
        return {Finding::Level::Problem, "Data home", name + ": " + std::strerror(errno),
            "runs cannot be stored there: change its permissions, or set $ATELIER_HOME to another folder"};
    if (!exists)
        return {Finding::Level::Note, "Data home", name + " does not exist yet", "the first run creates it"};
    return {Finding::Level::Good, "Data home", name, "runs and database are stored there"};
}

/// Empty when the database lies where the runs do.
Findings examineIndex(const launcher::DataHome& home)
{
    if (home.index == home.data)
        return {};
    const std::string network = launcher::networkFileSystem(home.data);
    if (network.empty())
        return {{Finding::Level::Good, "Index", home.index.string(), "the database is kept apart from the runs"}};
    return {{Finding::Level::Note, "Index", home.index.string(),
        "the data home is on a network disk (" + network + "), where a database is not safe, so it is kept on this machine"}};
}

Finding examineDisk(const launcher::DataHome& home)
{
    constexpr std::uintmax_t kLittle = 2'000'000'000;
    std::error_code error;
    const fs::space_info space = fs::space(existingPart(home.data), error);
    if (error)
        return {Finding::Level::Problem, "Disk", error.message(), "the data home's disk cannot be read"};
    const std::string found = formatBytes(space.available) + " free of " + formatBytes(space.capacity);
    if (space.available < kLittle)
        return {Finding::Level::Problem, "Disk", found, "little space for checkpoints: free some first"};
    return {Finding::Level::Good, "Disk", found, "enough space for checkpoints"};
}

}  // namespace

Findings examinePlaces()
{
    const launcher::DataHome home = launcher::DataHome::locate();
    Findings findings = {examineHome(home), examineDisk(home)};
    for (const Finding& finding : examineIndex(home))
        findings.push_back(finding);
    return findings;
}

Findings examineDatabase()
{
    const fs::path file = launcher::DataHome::locate().database();
    std::error_code error;
    if (!fs::exists(file, error))
        return {{Finding::Level::Note, "Database", file.string() + " does not exist yet",
            "the first run creates it"}};
    try {
        const storage::Store store(file, storage::Store::Open::ReadOnly);
        const std::size_t runs = store.runs().size();
        return {{Finding::Level::Good, "Database",
            file.string() + ", " + formatCount(static_cast<std::int64_t>(runs)) + " runs",
            "it is readable and compatible with this version"}};
    } catch (const storage::StoreError& problem) {
        return {{Finding::Level::Problem, "Database", file.string(), problem.what()}};
    }
}

}  // namespace app
