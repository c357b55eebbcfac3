#include "app/cli/find_run.h"

#include "app/cli/failure.h"
#include "engine/contract/annotations.h"
#include "engine/contract/experiment.h"

#include <algorithm>
#include <cstdint>

namespace app {
namespace {

namespace fs = std::filesystem;

/// "-20261121-101500-x3k9", the end of every id that makeRunId() made.
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
        return 0;  // a folder whose start cannot be read is nobody's latest run
    }
}

std::string newestOf(const launcher::DataHome& home, const std::vector<std::string>& ids)
{
    // The stamp is local time to the second: the folders' own records decide among the last few.
    const auto candidates = std::min<std::size_t>(ids.size(), 8);
    return *std::max_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(candidates),
        [&](const std::string& a, const std::string& b) {
            return createdUnixMs(contract::RunFolder(home.runs() / a))
                < createdUnixMs(contract::RunFolder(home.runs() / b));
        });
}

std::string nameOf(const contract::RunFolder& folder)
{
    const std::string given = contract::readAnnotations(folder.annotations()).name;
    return given.empty() ? contract::loadExperiment(folder.config(1)).experiment.text("run.name")
                         : given;
}

/// Ids of the runs that are called @p name.
std::vector<std::string> runsCalled(
    const launcher::DataHome& home, const std::vector<std::string>& ids, const std::string& name)
{
    // Reading every configuration would be slow: an unrenamed run's id begins with its name.
    const std::string exampleId = contract::makeRunId(name, {});
    const std::string start = exampleId.substr(0, exampleId.size() - kStampLength);
    std::vector<std::string> matches;
    for (const std::string& id : ids) {
        const contract::RunFolder folder(home.runs() / id);
        if ((id.starts_with(start) || fs::exists(folder.annotations())) && nameOf(folder) == name)
            matches.push_back(id);
    }
    return matches;
}

[[noreturn]] void failAmbiguous(const std::string& name, const std::vector<std::string>& ids)
{
    constexpr std::size_t kShown = 5;
    std::string message = "\"" + name + "\" names " + std::to_string(ids.size()) + " runs: ";
    for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i)
        message += (i ? ", " : "") + ids[i];
    message += ids.size() > kShown ? ", …" : "";
    throw Failure(message + "; give more of the id, or \"latest\"");
}

}  // namespace

std::vector<std::string> runIds(const launcher::DataHome& home)
{
    std::vector<std::string> ids;
    std::error_code error;
    for (fs::directory_iterator entry(home.runs(), error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->is_directory(error))
            ids.push_back(entry->path().filename().string());
    }
    std::ranges::sort(ids, [](const std::string& a, const std::string& b) {
        return std::pair(stampOf(a), std::string_view(a)) > std::pair(stampOf(b), std::string_view(b));
    });
    return ids;
}

contract::RunFolder findRun(const launcher::DataHome& home, const std::string& name)
{
    const std::vector<std::string> ids = runIds(home);
    if (ids.empty())
        throw Failure("there are no runs in " + home.runs().string() + ": `atelier run digits` starts one");
    if (std::ranges::find(ids, name) != ids.end())
        return contract::RunFolder(home.runs() / name);
    if (name == "latest")
        return contract::RunFolder(home.runs() / newestOf(home, ids));

    std::vector<std::string> matches = runsCalled(home, ids, name);
    if (matches.empty() && !name.empty())
        std::ranges::copy_if(ids, std::back_inserter(matches),
            [&](const std::string& id) { return id.starts_with(name); });
    if (matches.empty())
        throw Failure("no run is called \"" + name + "\" in " + home.runs().string()
            + ": `atelier list` shows all");
    if (matches.size() > 1)
        failAmbiguous(name, matches);
    return contract::RunFolder(home.runs() / matches.front());
}

}  // namespace app
