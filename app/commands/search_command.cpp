// atelier search
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/formats/text.h"
#include "ui/logs/log_filter.h"
#include "ui/search/text_search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

namespace app {
namespace {

using ui::FoundIn;
using ui::FoundText;

struct SearchRequest {
    std::string text;
    bool isRegex = false;
    bool leavesOutLogs = false;
    bool isJson = false;
};

const char* wordFor(FoundIn place)
{
    switch (place) {
    case FoundIn::Name:
        return "name";
    case FoundIn::Project:
        return "project";
    case FoundIn::Tag:
        return "tag";
    case FoundIn::Note:
        return "note";
    case FoundIn::Option:
        return "option";
    case FoundIn::Cause:
        return "cause";
    case FoundIn::Event:
        return "event";
    case FoundIn::Log:
        return "log";
    }
    return "";
}

Json foundJson(const FoundText& found)
{
    Json entry = {{"run", found.run}, {"in", wordFor(found.place)}};
    if (!found.where.empty())
        entry["where"] = found.where;
    if (found.attempt > 0)
        entry["attempt"] = found.attempt;
    if (found.step >= 0)
        entry["step"] = found.step;
    if (found.unixMs > 0)
        entry["t_unix_ms"] = found.unixMs;
    entry["text"] = contract::escapedBytes(found.text);
    return entry;
}

std::string foundLine(const FoundText& found)
{
    std::string place = wordFor(found.place);
    if (found.place == FoundIn::Option || found.place == FoundIn::Log)
        place += " " + found.where;
    if (found.place == FoundIn::Event)
        place += " at step " + formatCount(found.step);
    return found.run + ": " + printable(place + ": " + found.text) + "\n";
}

ExitCode search(const SearchRequest& request)
{
    const ui::LogFilter filter {.text = QString::fromStdString(request.text), .isRegex = request.isRegex};
    if (!filter.problem().isEmpty())
        throw Failure("search: " + filter.problem().toStdString(), kWrongUsage);
    const auto matches = filter.matcher();
    const storage::Store store = openCatalogue(existingHome());
    std::map<std::string, std::vector<FoundText>> byRun;
    for (FoundText& found : ui::searchIndex(store, matches))
        byRun[found.run].push_back(std::move(found));
    Json list = Json::array();
    bool isAnyFound = false;
    for (const storage::RunRow& run : store.runs()) {
        std::vector<FoundText>& found = byRun[run.id];
        if (!request.leavesOutLogs)
            std::ranges::move(ui::searchLogs(contract::RunFolder(run.folder), matches, [] { return false; }), std::back_inserter(found));
        isAnyFound |= !found.empty();
        for (const FoundText& text : found)
            request.isJson ? list.push_back(foundJson(text)) : printText(foundLine(text));
    }
    if (request.isJson)
        printJson({{"found", list}});
    return isAnyFound ? kSuccess : kFailed;
}

}  // namespace

void addSearchCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<SearchRequest>();
    CLI::App* command = app.add_subcommand("search", "Find a text in the names, notes, tags, options, errors and logs of all runs");
    command->add_option("TEXT", request->text, "What to find, in upper or lower case; exit code 1 when it is nowhere")->required();
    command->add_flag("--regex", request->isRegex, "TEXT is a regular expression");
    command->add_flag("--no-logs", request->leavesOutLogs, "Leave out the logs, which may take long");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return search(*request); }; });
}

}  // namespace app
