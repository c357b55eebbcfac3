// atelier compare
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/formats/text.h"
#include "storage/reports/comparison.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace app {
namespace {

struct CompareRequest {
    std::vector<std::string> runs;
    std::vector<std::string> ignored;
    bool isAll = false;
    bool isJson = false;
    bool isCsv = false;
};

const char* wordFor(storage::Compared what)
{
    switch (what) {
    case storage::Compared::Last:
        return "last";
    case storage::Compared::Lowest:
        return "lowest";
    case storage::Compared::Highest:
        return "highest";
    case storage::Compared::AtCommonStep:
        return "at_common_step";
    default:
        return "parameter";
    }
}

Json valueJson(const std::optional<storage::ComparedValue>& value)
{
    if (!value)
        return nullptr;
    return value->text.empty() && value->number ? jsonNumber(*value->number) : Json(value->text);
}

Json comparisonJson(const storage::Comparison& comparison, const std::vector<std::string>& names)
{
    Json document = {{"runs", Json::array()}, {"rows", Json::array()}};
    for (std::size_t run = 0; run < comparison.runs.size(); ++run)
        document["runs"].push_back({{"id", comparison.runs[run]}, {"name", names[run]}});
    for (const storage::ComparisonRow& row : comparison.rows) {
        Json entry = {{"what", wordFor(row.what)}, {"name", row.name}};
        if (row.what == storage::Compared::AtCommonStep)
            entry["step"] = row.step;
        entry["differs"] = row.differs();
        entry["values"] = entry["differences"] = entry["ratios"] = Json::array();
        for (const auto& value : row.values) {
            const auto delta = storage::deltaOf(value, row.values.front());
            entry["values"].push_back(valueJson(value));
            entry["differences"].push_back(delta ? jsonNumber(delta->difference) : Json(nullptr));
            entry["ratios"].push_back(delta && delta->ratio ? jsonNumber(*delta->ratio) : Json(nullptr));
        }
        document["rows"].push_back(std::move(entry));
    }
    return document;
}

constexpr std::size_t kLongestCell = 40;  // bytes of a text in the table

std::string cell(const storage::ComparisonRow& row, std::size_t run)
{
    const auto& value = row.values[run];
    if (!value)
        return "-";
    std::string text = value->text.empty() && value->number ? formatNumber(*value->number) : printable(contract::shortened(value->text, kLongestCell));
    const auto delta = storage::deltaOf(value, row.values.front());
    if (run == 0 || !delta || delta->difference == 0 || std::isnan(delta->difference))
        return text;
    text += std::string(" (") + (delta->difference > 0 ? "+" : "") + formatNumber(delta->difference);
    return text + (delta->ratio ? ", x" + formatNumber(*delta->ratio) + ")" : ")");
}

std::string comparisonText(const storage::Comparison& comparison, const std::vector<std::string>& names)
{
    std::vector<Table::Column> columns = {{"", Table::Align::Left}};
    for (const std::string& name : names)
        columns.push_back({printable(name), Table::Align::Right});
    Table table(std::move(columns));
    for (const storage::ComparisonRow& row : comparison.rows) {
        std::vector<std::string> cells = {printable(storage::titleOf(row))};
        for (std::size_t run = 0; run < row.values.size(); ++run)
            cells.push_back(cell(row, run));
        table.addRow(std::move(cells));
    }
    return table.text();
}

ExitCode compare(const CompareRequest& request)
{
    if (request.isCsv && request.isJson)
        throw Failure("compare: give either --csv or --json", kWrongUsage);
    const launcher::DataHome home = existingHome();
    std::vector<std::string> ids;
    for (const std::string& name : request.runs) {
        const std::string id = findRun(home, name).id();
        if (std::ranges::find(ids, id) == ids.end())
            ids.push_back(id);
    }
    if (ids.size() < 2)
        throw Failure("compare: name at least two different runs; the first one is the baseline", kWrongUsage);
    const storage::Store store = openCatalogue(home);
    storage::Comparison comparison = storage::compareRuns(store, ids);
    storage::ignoreRows(comparison, request.ignored);
    if (!request.isAll)
        std::erase_if(comparison.rows, [](const storage::ComparisonRow& row) { return !row.differs(); });
    std::vector<std::string> names;
    for (const std::string& id : comparison.runs)
        names.push_back(store.run(id)->name);
    if (request.isJson)
        printJson(comparisonJson(comparison, names));
    else if (request.isCsv)
        printText(storage::toCsv(comparison, names, 0));
    else if (comparison.rows.empty())
        printText("The runs do not differ.\n");
    else
        printText(comparisonText(comparison, names));
    return kSuccess;
}

}  // namespace

void addCompareCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<CompareRequest>();
    CLI::App* command = app.add_subcommand("compare", "Show what differs between runs, with differences and ratios to the first one");
    command->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest; the first one is the baseline")->required();
    command->add_option("--ignore", request->ignored, "An option or a metric to leave out; * stands for any characters")
        ->type_name("KEY")->allow_extra_args(false);
    command->add_flag("--all", request->isAll, "Show what is equal, too");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->add_flag("--csv", request->isCsv, "Print CSV, with every digit");
    command->footer("The table has the beginnings of long texts; --json and --csv have all of them.");
    command->callback([request, &action] { action = [request] { return compare(*request); }; });
}

}  // namespace app
