// atelier list
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/run_state.h"

#include <limits>
#include <memory>
#include <optional>

namespace app {
namespace {

struct ListRequest {
    std::optional<std::size_t> limit;
    bool isAll = false;
    bool isJson = false;
};

Json rowJson(const storage::RunRow& run, const launcher::RunStatus& status)
{
    return {{"id", run.id}, {"name", run.name}, {"project", run.project}, {"tags", run.tags},
        {"archived", run.isArchived}, {"state", stateName(status.state)}, {"cause", status.cause},
        {"step", run.lastStep}, {"total_steps", run.totalSteps}, {"attempts", run.attempts},
        {"ranks", run.ranks}, {"loss", run.lastLoss ? jsonNumber(*run.lastLoss) : Json(nullptr)},
        {"created_unix_ms", run.createdUnixMs}, {"folder", run.folder}};
}

void addRow(Table& table, const storage::RunRow& run, const launcher::RunStatus& status)
{
    table.addRow({run.id, run.name, std::string(stateName(status.state)),
        formatCount(run.lastStep) + "/" + formatCount(run.totalSteps),
        run.lastLoss ? formatNumber(*run.lastLoss) : "", formatAge(run.createdUnixMs)});
}

ExitCode list(const ListRequest& request)
{
    const storage::Store store = openCatalogue(existingHome());
    Json rows = Json::array();
    using enum Table::Align;
    Table table({{"ID"}, {"NAME"}, {"STATE"}, {"STEP", Right}, {"LOSS", Right}, {"STARTED"}});
    constexpr std::size_t kScreenful = 50;
    const std::size_t limit = request.limit.value_or(
        request.isJson ? std::numeric_limits<std::size_t>::max() : kScreenful);
    std::size_t shown = 0;
    std::size_t omitted = 0;
    for (const storage::RunRow& run : store.runs()) {
        if (!request.isAll && (run.isArchived || shown == limit)) {
            omitted += 1;
            continue;
        }
        shown += 1;
        const launcher::RunStatus status = launcher::inspectRun(contract::RunFolder(run.folder));
        if (request.isJson)
            rows.push_back(rowJson(run, status));
        else
            addRow(table, run, status);
    }
    if (request.isJson)
        printJson(rows);
    else if (shown == 0 && omitted == 0)
        printText("No runs yet: `atelier run digits` starts one.\n");
    else
        printText(table.text()
            + (omitted ? formatCount(static_cast<std::int64_t>(omitted))
                        + " older or archived runs are not shown: --all lists them\n" : ""));
    return kSuccess;
}

}  // namespace

void addListCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ListRequest>();
    CLI::App* command = app.add_subcommand("list", "List the runs, newest first");
    command->add_option("-n,--number", request->limit, "Maximum number of runs; default 50, or all with --json");
    command->add_flag("--all", request->isAll, "List all runs, archived ones too");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return list(*request); }; });
}

}  // namespace app
