#include "app/cli/find_run.h"

#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/origin.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace app {
namespace {

namespace fs = std::filesystem;

/// Length of "-20261121-101500-x3k9", the end of every id from contract::makeRunId().
constexpr std::size_t kStampLength = 21;

std::string_view stampOf(std::string_view id)
{
    return id.size() > kStampLength ? id.substr(id.size() - kStampLength) : id;
}

std::int64_t createdUnixMs(const contract::RunFolder& folder)
{
    try {
        return folder.readStart(1).startUnixMs;
    } catch (const std::exception&) {
        return 0;  // sorts a run whose start record cannot be read as the oldest
    }
}

std::string newestOf(const launcher::DataHome& home, const std::vector<std::string>& ids)
{
    // The time in an id is local and has a resolution of one second, so the start records decide among the newest few.
    const auto candidates = std::min<std::size_t>(ids.size(), 8);
    return *std::max_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(candidates),
        [&](const std::string& a, const std::string& b) {
            return createdUnixMs(contract::RunFolder(home.runs() / a))
                < createdUnixMs(contract::RunFolder(home.runs() / b));
        });
}

std::string nameOf(const contract::RunFolder& folder)
{
    std::string given;
    try {
        given = contract::readAnnotations(folder.annotations()).name;
    } catch (const std::exception&) {
        // the database's ingest reports it; the run keeps the name in its experiment
    }
    try {
        if (const auto origin = contract::readOrigin(folder); origin && given.empty())
            return origin->name;
    } catch (const std::exception&) {
        // the same
    }
    return given.empty() ? contract::loadExperiment(folder.config(1)).experiment.text("run.name")
                         : given;
}

/// Ids of the runs whose name is @p name.
std::vector<std::string> runsCalled(
    const launcher::DataHome& home, const std::vector<std::string>& ids, const std::string& name)
{
    // Reading every configuration would be slow. The id of a run that was not renamed begins with its name.
    const std::string exampleId = contract::makeRunId(name, {});
    const std::string start = exampleId.substr(0, exampleId.size() - kStampLength);
    std::vector<std::string> matches;
    for (const std::string& id : ids) {
        const contract::RunFolder folder(home.runs() / id);
        if ((id.starts_with(start) || contract::hasEntry(folder.annotations())) && nameOf(folder) == name)
            matches.push_back(id);
    }
    return matches;
}

/// @throws Failure when there are no runs.
std::vector<std::string> existingIds(const launcher::DataHome& home)
{
    std::vector<std::string> ids = runIds(home);
    if (ids.empty())
        throw Failure("there are no runs in " + home.runs().string() + ": `atelier run digits` starts one");
    return ids;
}

/// The id that @p name is or, as "latest", stands for.
std::optional<std::string> idGiven(const launcher::DataHome& home, const std::vector<std::string>& ids, const std::string& name)
{
    if (std::ranges::find(ids, name) != ids.end())
        return name;
    return name == "latest" ? std::optional(newestOf(home, ids)) : std::nullopt;
}

[[noreturn]] void failAmbiguous(const std::string& name, const std::vector<std::string>& ids)
{
    constexpr std::size_t kShown = 5;
    std::string message = contract::inQuotes(contract::shortened(name)) + " names " + std::to_string(ids.size()) + " runs: ";
    for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i)
        message += (i ? ", " : "") + ids[i];
    message += ids.size() > kShown ? ", …" : "";
    throw Failure(message + "; give more of the id, or \"latest\"");
}

}  // namespace

std::vector<std::string> runIds(const launcher::DataHome& home)
{
    std::vector<std::string> ids;
    for (const fs::path& entry : contract::entriesOf(home.runs())) {
        std::error_code ignored;
        if (fs::is_directory(entry, ignored))
            ids.push_back(entry.filename().string());
    }
    std::ranges::sort(ids, [](const std::string& a, const std::string& b) {
        return std::pair(stampOf(a), std::string_view(a)) > std::pair(stampOf(b), std::string_view(b));
    });
    return ids;
}

contract::RunFolder findRun(const launcher::DataHome& home, const std::string& name)
{
    const std::vector<std::string> ids = existingIds(home);
    if (const auto id = idGiven(home, ids, name))
        return contract::RunFolder(home.runs() / *id);
    std::vector<std::string> matches = runsCalled(home, ids, name);
    if (matches.empty() && !name.empty())
        std::ranges::copy_if(ids, std::back_inserter(matches),
            [&](const std::string& id) { return id.starts_with(name); });
    if (matches.empty())
        throw Failure("no run is called " + contract::inQuotes(contract::shortened(name)) + " in " + home.runs().string()
            + ": `atelier list` shows all runs");
    if (matches.size() > 1)
        failAmbiguous(name, matches);
    return contract::RunFolder(home.runs() / matches.front());
}

contract::RunFolder findNewestRun(const launcher::DataHome& home, const std::string& name)
{
    const std::vector<std::string> ids = existingIds(home);
    const std::vector<std::string> matches = idGiven(home, ids, name) ? std::vector<std::string>() : runsCalled(home, ids, name);
    if (matches.size() < 2)
        return findRun(home, name);
    const std::string newest = newestOf(home, matches);
    printWarning(contract::inQuotes(contract::shortened(name)) + " names " + std::to_string(matches.size()) + " runs; the newest is taken: " + newest);
    return contract::RunFolder(home.runs() / newest);
}

}  // namespace app
