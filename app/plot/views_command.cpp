// atelier views [list|show|rename|rm]
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/plot/choice_words.h"
#include "app/plot/named_view.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/data_home.h"
#include "ui/views/view_files.h"

#include <memory>
#include <utility>

namespace app {
namespace {

using ui::Grouping;
using ui::PlotChoices;
using ui::SavedView;
using ui::Smoothing;

struct ViewsRequest {
    std::string name;
    std::string newName;
    bool isJson = false;
};

void check(const QString& problem)
{
    if (!problem.isEmpty())
        throw Failure(problem.toStdString());
}

std::vector<std::string> runsOf(const SavedView& view)
{
    std::vector<std::string> runs;
    for (const QString& id : view.drawn)
        runs.push_back(id.toStdString());
    return runs;
}

ExitCode list(const ViewsRequest& request)
{
    const auto home = launcher::DataHome::locate();
    Table table({{"NAME"}, {"RUNS", Table::Align::Right}});
    Json rows = Json::array();
    for (const QString& name : ui::savedViews(home)) {
        const auto read = ui::readView(home, name);
        const auto* const view = std::get_if<SavedView>(&read);
        table.addRow({printable(name.toStdString()), view ? std::to_string(view->drawn.size()) : "damaged"});
        rows.push_back({{"name", name.toStdString()}, {"runs", view ? Json(runsOf(*view)) : Json(nullptr)}});
    }
    if (request.isJson)
        printJson(rows);
    else
        printText(table.isEmpty() ? "No saved views yet: View › Saved views in the window saves one.\n" : table.text());
    return kSuccess;
}

/// Null where runs are not grouped.
Json groupingJson(const Grouping& grouping)
{
    if (grouping.by == Grouping::By::Nothing)
        return nullptr;
    Json json {{"by", grouping.by == Grouping::By::Option ? grouping.option : wordOf(kGroupWords, grouping.by)}, {"band", wordOf(kBandWords, grouping.band)}};
    if (grouping.by == Grouping::By::Repeats)
        json["ignored"] = grouping.ignored;
    return json;
}

Json viewJson(const std::string& name, const SavedView& view)
{
    const PlotChoices& plots = view.plots;
    const bool isWhole = plots.place.mode == ui::XMode::Whole;
    Json json {{"name", name}, {"runs", runsOf(view)}, {"baseline", view.baseline.toStdString()}, {"filter", view.filter.toStdString()},
        {"metrics", plots.plots.metrics ? Json(*plots.plots.metrics) : Json(nullptr)}, {"hidden", plots.plots.hidden}, {"x", wordOf(kAxisWords, plots.xAxis)}};
    json["from"] = isWhole ? Json(nullptr) : jsonNumber(plots.place.x.lower);
    json["to"] = isWhole ? Json(nullptr) : jsonNumber(plots.place.x.upper);
    json["smoothing"] = wordOf(kSmoothingWords, plots.smoothing.kind);
    json["width"] = jsonNumber(plots.smoothing.width);
    json["group"] = groupingJson(plots.grouping);
    json["differences"] = plots.showsDifferences;
    json["superseded"] = plots.showsSuperseded;
    json["log"] = plots.logarithmic;
    json["no_outliers"] = plots.clipped;
    return json;
}

template <typename Names>
std::string listed(const Names& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + printable(name);
    return text;
}

std::string viewText(const SavedView& view)
{
    const PlotChoices& plots = view.plots;
    const Json grouping = groupingJson(plots.grouping);
    std::string text;
    const auto add = [&text](const char* what, const std::string& value) {
        if (!value.empty())
            text += what + value + "\n";
    };
    add("Runs:          ", listed(runsOf(view)));
    add("Baseline:      ", printable(view.baseline.toStdString()));
    add("Filter:        ", printable(view.filter.toStdString()));
    add("Metrics:       ", plots.plots.metrics ? listed(*plots.plots.metrics) : "the default ones");
    add("Hidden:        ", listed(plots.plots.hidden));
    add("x axis:        ", wordOf(kAxisWords, plots.xAxis));
    if (plots.place.mode != ui::XMode::Whole)
        add("Range of x:    ", contract::shortestText(plots.place.x.lower) + " to " + contract::shortestText(plots.place.x.upper));
    if (plots.smoothing.kind != Smoothing::Kind::Off)
        add("Smoothing:     ", wordOf(kSmoothingWords, plots.smoothing.kind) + ", " + contract::shortestText(plots.smoothing.width) + " steps");
    if (!grouping.is_null())
        add("Group:         ", printable(grouping["by"].get<std::string>()) + ", band " + wordOf(kBandWords, plots.grouping.band));
    add("Differences:   ", plots.showsDifferences ? "from the baseline" : "");
    add("Log:           ", listed(plots.logarithmic));
    add("No outliers:   ", listed(plots.clipped));
    return text;
}

ExitCode show(const ViewsRequest& request)
{
    const SavedView view = viewNamed(launcher::DataHome::locate(), request.name);
    if (request.isJson)
        printJson(viewJson(request.name, view));
    else
        printText(viewText(view));
    return kSuccess;
}

ExitCode rename(const ViewsRequest& request)
{
    const auto home = launcher::DataHome::locate();
    viewNamed(home, request.name);
    check(ui::renameView(home, QString::fromStdString(request.name), QString::fromStdString(request.newName)));
    printText("Renamed " + request.name + " to " + request.newName + ".\n");
    return kSuccess;
}

ExitCode remove(const ViewsRequest& request)
{
    const auto home = launcher::DataHome::locate();
    viewNamed(home, request.name);
    check(ui::deleteView(home, QString::fromStdString(request.name)));
    printText("Deleted the view " + request.name + ".\n");
    return kSuccess;
}

}  // namespace

void addViewsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ViewsRequest>();
    CLI::App* command = app.add_subcommand("views", "List, show, rename or delete the views that were saved in the window");
    const auto set = [request, &action](ExitCode (*handler)(const ViewsRequest&)) { action = [request, handler] { return handler(*request); }; };
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([set, command] {
        if (command->get_subcommands().empty())
            set(list);
    });
    CLI::App* listing = command->add_subcommand("list", "List the views; the same as `atelier views`");
    listing->add_flag("--json", request->isJson, "Print one JSON document");
    listing->callback([set] { set(list); });
    CLI::App* showing = command->add_subcommand("show", "Say which runs and plots a view shows, and how");
    showing->add_option("NAME", request->name, "The view")->required();
    showing->add_flag("--json", request->isJson, "Print one JSON document");
    showing->callback([set] { set(show); });
    CLI::App* renaming = command->add_subcommand("rename", "Give a view another name");
    renaming->add_option("NAME", request->name, "The view")->required();
    renaming->add_option("NEW", request->newName, "Its new name")->required();
    renaming->callback([set] { set(rename); });
    CLI::App* removing = command->add_subcommand("rm", "Delete a view");
    removing->add_option("NAME", request->name, "The view")->required();
    removing->callback([set] { set(remove); });
    command->footer("`atelier plot --view NAME --output FILE` draws a view.");
}

}  // namespace app
