// atelier list
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/state/run_state.h"
#include "ui/runs/run_entry.h"
#include "ui/runs/run_query.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace app {
namespace {

struct ListRequest {
    std::string filter;
    std::optional<std::size_t> limit;
    bool isAll = false;
    bool isJson = false;
};

Json rowJson(const ui::RunEntry& entry)
{
    const storage::RunRow& run = entry.row;
    return {{"id", run.id}, {"name", run.name}, {"project", run.project}, {"tags", run.tags},
        {"archived", run.isArchived}, {"state", stateName(entry.status->state)}, {"cause", entry.status->cause},
        {"step", entry.step()}, {"total_steps", run.totalSteps}, {"attempts", run.attempts},
        {"ranks", run.ranks}, {"loss", entry.loss() ? jsonNumber(*entry.loss()) : Json(nullptr)},
        {"created_unix_ms", run.createdUnixMs}, {"started_unix_ms", run.startedUnixMs > 0 ? Json(run.startedUnixMs) : Json(nullptr)}, {"folder", run.folder}};
}

void addRow(Table& table, const ui::RunEntry& entry)
{
    const storage::RunRow& run = entry.row;
    // A mirror does not know when the ranks of all runs started.
    const std::int64_t started = run.startedUnixMs > 0 || isWaiting(entry.status->state) ? run.startedUnixMs : run.createdUnixMs;
    table.addRow({run.id, run.name, std::string(stateName(entry.status->state)),
        formatCount(entry.step()) + (run.totalSteps > 0 ? "/" + formatCount(run.totalSteps) : ""),
        entry.loss() ? formatNumber(*entry.loss()) : "", started > 0 ? formatAge(started) : "not yet"});
}

/// The typed filter, and what the runs have for the options and metrics that it compares.
class Filter {
public:
    /// @throws Failure that says what is wrong with @p text and where.
    Filter(const storage::Store& store, const std::string& text)
    {
        const storage::FieldNames names = text.empty() ? storage::FieldNames() : store.fieldNames();
        ui::RunQuery::Parsed parsed = ui::RunQuery::parse(QString::fromStdString(text), &names);
        if (parsed.problem)
            throw Failure("list: --filter, character " + std::to_string(parsed.problem->position + 1) + ": " + parsed.problem->sentence.toStdString(), kWrongUsage);
        m_query = std::move(parsed.query);
        for (std::size_t at = 0; at < m_query.fields().size(); ++at) {
            for (const storage::RunValue& value : store.values(m_query.fields()[at])) {
                std::vector<ui::FieldValue>& values = m_values[value.run];
                values.resize(m_query.fields().size());
                values[at] = m_query.fields()[at].kind == storage::RunField::Kind::Parameter ? ui::optionValue(QString::fromStdString(value.text))
                                                                                              : ui::FieldValue {{}, value.number};
            }
        }
    }

    bool matches(const storage::RunRow& run, const launcher::RunStatus& status) const
    {
        const auto values = m_values.find(run.id);
        return m_query.isEmpty()
            || m_query.matches({run, status, values == m_values.end() ? std::vector<ui::FieldValue>() : values->second}, m_query.fields());
    }

private:
    ui::RunQuery m_query;
    std::map<std::string, std::vector<ui::FieldValue>> m_values;  ///< by the run's id, in the order of the query's fields
};

std::string sayOmitted(std::size_t runs)
{
    return runs == 1 ? "1 older or archived run is not shown: --all lists it\n"
                     : formatCount(static_cast<std::int64_t>(runs)) + " older or archived runs are not shown: --all lists them\n";
}

ExitCode list(const ListRequest& request)
{
    const storage::Store store = openCatalogue(existingHome());
    const Filter filter(store, request.filter);
    Json rows = Json::array();
    using enum Table::Align;
    Table table({{"ID"}, {"NAME"}, {"STATE"}, {"STEP", Right}, {"LOSS", Right}, {"STARTED"}});
    constexpr std::size_t kScreenful = 50;
    const std::size_t limit = request.limit.value_or(
        request.isJson || request.isAll ? std::numeric_limits<std::size_t>::max() : kScreenful);
    std::size_t shown = 0;
    std::size_t omitted = 0;
    std::string slurmProblem;
    for (const storage::RunRow& run : store.runs()) {
        const bool isOmitted = (run.isArchived && !request.isAll) || shown == limit;
        if (isOmitted && request.filter.empty()) {  // its state need not be known
            omitted += 1;
            continue;
        }
        const contract::RunFolder folder(run.folder);
        if (slurmProblem.empty())  // one that does not answer is asked once
            slurmProblem = launcher::refreshSlurm(folder, std::chrono::seconds(5));
        const launcher::RunStatus status = launcher::inspectRun(folder);
        if (!filter.matches(run, status))
            continue;
        if (isOmitted) {
            omitted += 1;
            continue;
        }
        shown += 1;
        if (request.isJson)
            rows.push_back(rowJson({run, status}));
        else
            addRow(table, {run, status});
    }
    if (!slurmProblem.empty())
        printWarning(slurmProblem);
    if (request.isJson)
        printJson(rows);
    else if (shown == 0 && omitted == 0)
        printText(request.filter.empty() ? "No runs yet: `atelier run digits` starts one.\n" : "No run matches the filter.\n");
    else
        printText((shown > 0 ? table.text() : "") + (omitted > 0 ? sayOmitted(omitted) : ""));
    return kSuccess;
}

}  // namespace

void addListCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ListRequest>();
    CLI::App* command = app.add_subcommand("list", "List the runs, newest first");
    command->add_option("-n,--number", request->limit, "Maximum number of runs; default 50, or all with --json");
    command->add_option("--filter", request->filter,
               "Only runs that match, as in the window: \"loss < 0.2 and tag:lora\", \"state:failed\", \"optim.lr >= 1e-4\"")
        ->type_name("TEXT");
    command->add_flag("--all", request->isAll, "List all runs, archived ones too");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return list(*request); }; });
}

}  // namespace app
