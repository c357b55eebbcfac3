// atelier trash [list|restore|empty]
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/confirm.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/formats/text.h"
#include "launcher/home/trash.h"
#include "storage/ingest.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace app {
namespace {

using launcher::TrashItem;

struct TrashRequest {
    std::vector<std::string> names;
    int olderThanDays = 0;
    bool isConfirmed = false;
    bool isJson = false;
};

ExitCode list(const TrashRequest& request)
{
    const launcher::DataHome home = existingHome();
    using enum Table::Align;
    Table table({{"NAME"}, {"SIZE", Right}, {"REMOVED", Right}});
    Json rows = Json::array();
    for (const TrashItem& item : launcher::trashItems(home)) {
        const std::uint64_t bytes = launcher::folderBytes(item.place);
        table.addRow({item.name, formatBytes(bytes), formatAge(item.unixMs)});
        rows.push_back({{"name", item.name}, {"run", item.runId()}, {"bytes", bytes}, {"unix_ms", item.unixMs},
            {"origin", item.origin.string()}, {"folder", item.place.string()},
            {"checkpoint_step", item.checkpointStep ? Json(*item.checkpointStep) : Json(nullptr)}});
    }
    if (request.isJson)
        printJson(rows);
    else
        printText(table.isEmpty() ? "The trash " + home.trash().string() + " is empty.\n" : table.text());
    return kSuccess;
}

/// The item that @p name begins or is; of several with that whole name the newest. @throws Failure when there is none or several.
TrashItem itemCalled(const launcher::DataHome& home, const std::vector<TrashItem>& items, const std::string& name)
{
    const auto exact = std::ranges::find(items, name, &TrashItem::name);
    if (exact != items.end())
        return *exact;
    std::vector<TrashItem> matches;
    std::ranges::copy_if(items, std::back_inserter(matches), [&](const TrashItem& item) { return !name.empty() && item.name.starts_with(name); });
    if (matches.empty())
        throw Failure(contract::inQuotes(contract::shortened(name)) + " is not in the trash " + home.trash().string() + ": `atelier trash` lists what is");
    if (matches.size() > 1)
        throw Failure(contract::inQuotes(contract::shortened(name)) + " begins the names of " + std::to_string(matches.size()) + " items, " + matches[0].name + " and "
            + matches[1].name + " among them; give more of the name");
    return matches.front();
}

/// Reads a restored run or checkpoint into the database. An error is only a warning, because the next command does it again.
void ingest(const launcher::DataHome& home, const TrashItem& item)
{
    try {
        storage::Store store(home.database());
        const contract::RunFolder folder(item.checkpointStep ? item.origin.parent_path().parent_path() : item.origin);
        for (const std::string& problem : storage::Ingest(store).catchUp(folder).problems)
            printWarning(problem);
    } catch (const storage::StoreError& error) {
        printWarning(error.what());
    }
}

ExitCode restore(const TrashRequest& request)
{
    const launcher::DataHome home = existingHome();
    for (const std::string& name : request.names) {
        const TrashItem item = itemCalled(home, launcher::trashItems(home), name);
        launcher::restore(home, item);
        ingest(home, item);
        printText("Restored " + item.name + " to " + item.origin.string() + ".\n");
    }
    return kSuccess;
}

std::vector<TrashItem> chosenItems(const launcher::DataHome& home, const TrashRequest& request)
{
    using namespace std::chrono;
    std::vector<TrashItem> items = launcher::trashItems(home);
    if (!request.names.empty()) {
        std::vector<TrashItem> named;
        for (const std::string& name : request.names)
            named.push_back(itemCalled(home, items, name));
        return named;
    }
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch());
    const std::int64_t latest = (now - hours(24 * request.olderThanDays)).count();
    if (request.olderThanDays > 0)
        std::erase_if(items, [latest](const TrashItem& item) { return item.unixMs > latest; });
    return items;
}

ExitCode empty(const TrashRequest& request)
{
    const launcher::DataHome home = existingHome();
    const std::vector<TrashItem> items = chosenItems(home, request);
    std::vector<std::string> names;
    std::uint64_t bytes = 0;
    for (const TrashItem& item : items) {
        const std::uint64_t own = launcher::folderBytes(item.place);
        names.push_back(item.name + "  " + formatBytes(own));
        bytes += own;
    }
    if (!items.empty() && !request.isConfirmed && !confirm("trash empty", names, "Delete for good, " + formatBytes(bytes) + "?"))
        return kFailed;
    launcher::removeRemnants(home);
    for (const TrashItem& item : items)
        launcher::erase(home, item);
    try {
        storage::Store(home.database()).compact();
    } catch (const storage::StoreError& error) {
        printWarning(error.what());
    }
    printText("Deleted " + formatCount(static_cast<std::int64_t>(items.size())) + " items, " + formatBytes(bytes) + ".\n");
    return kSuccess;
}

}  // namespace

void addTrashCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<TrashRequest>();
    CLI::App* command = app.add_subcommand("trash", "List, restore or delete removed runs and checkpoints");
    const auto set = [request, &action](ExitCode (*handler)(const TrashRequest&)) { action = [request, handler] { return handler(*request); }; };
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([set, command] {
        if (command->get_subcommands().empty())
            set(list);
    });
    CLI::App* listing = command->add_subcommand("list", "List what is in the trash, newest first; the same as `atelier trash`");
    listing->add_flag("--json", request->isJson, "Print one JSON document");
    listing->callback([set] { set(list); });
    CLI::App* restoring = command->add_subcommand("restore", "Move runs (RUN) or checkpoints (RUN/step-N) back to where they were");
    restoring->add_option("NAME", request->names, "Names in the trash, or starts of names")->required();
    restoring->callback([set] { set(restore); });
    CLI::App* emptying = command->add_subcommand("empty", "Delete runs and checkpoints in the trash for good, and give the space back");
    CLI::Option* names = emptying->add_option("NAME", request->names, "Names in the trash, or starts of names; everything otherwise");
    emptying->add_option("--older-than", request->olderThanDays, "Only what was removed more than this number of days ago")
        ->type_name("DAYS")->check(CLI::Range(1, 36500))->excludes(names);
    emptying->add_flag("--yes", request->isConfirmed, "Do not ask for confirmation");
    emptying->callback([set] { set(empty); });
}

}  // namespace app
