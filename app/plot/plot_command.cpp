// atelier plot
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/cli/target_file.h"
#include "app/plot/choice_words.h"
#include "app/plot/named_view.h"
#include "app/plot/offscreen_plots.h"
#include "engine/contract/experiment/options.h"
#include "engine/contract/formats/text.h"
#include "ui/plot/canvas/plot_panel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

namespace app {
namespace {

using ui::Grouping;
using ui::Smoothing;
using ui::XAxis;

struct PlotRequest {
    std::vector<std::string> runs;
    std::string view;
    std::vector<std::string> metrics;
    std::string output;
    bool isOverwriting = false;
    bool isJson = false;
    std::optional<XAxis> x;
    std::optional<Smoothing::Kind> smoothing;
    std::optional<double> width;
    std::string group;
    std::optional<Grouping::Band> band;
    std::vector<std::string> ignored;
    bool areDifferences = false;
    bool isLogarithmic = false;
    bool isWithoutOutliers = false;
    bool isWithoutSuperseded = false;
    std::optional<double> from, to;
    std::pair<int, int> size {640, 320};
    int columns = 0;  ///< 0: one for a single plot, else two
};

template <typename Value>
std::vector<std::string> listOf(const Words<Value>& words)
{
    std::vector<std::string> list;
    for (const auto& [word, value] : words)
        list.push_back(word);
    return list;
}

/// @throws Failure when the name ends otherwise than in one of the formats
void checkFormat(const std::string& file)
{
    std::string lower = file;
    std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const bool isKnown = std::ranges::any_of(std::array {".png", ".svg", ".pdf"}, [&](const char* suffix) { return lower.ends_with(suffix); });
    if (!isKnown)
        throw Failure("plot: the name of --output ends with .png, .svg or .pdf", kWrongUsage);
}

/// Adds what was asked for to the grouping of a saved view. @throws Failure when an option is unknown
void chooseGrouping(const PlotRequest& request, Grouping& grouping)
{
    if (const auto known = kGroupWords.find(request.group); known != kGroupWords.end()) {
        grouping.by = known->second;
    } else if (contract::findOption(request.group)) {
        grouping.by = Grouping::By::Option;
        grouping.option = request.group;
    } else if (!request.group.empty()) {
        throw Failure("plot: --group takes run, project, tags, repeats or an option, not " + contract::inQuotes(contract::shortened(request.group))
                + "; `atelier options` lists the options", kWrongUsage);
    }
    if (!request.ignored.empty())
        grouping.ignored = request.ignored;
    grouping.band = request.band.value_or(grouping.band);
    const bool isGrouped = grouping.by != Grouping::By::Nothing;
    if ((request.band && !isGrouped) || (!request.ignored.empty() && grouping.by != Grouping::By::Repeats))
        throw Failure(request.band && !isGrouped ? "plot: --band needs --group, too" : "plot: --ignore needs --group repeats, too", kWrongUsage);
}

/// What the window would have to be set to. @param recorded all metrics of the runs
void choose(const PlotRequest& request, const std::set<std::string>& recorded, ui::PlotChoices& choices)
{
    choices.tables.clear();
    if (request.x && *request.x != choices.xAxis)
        choices.place = {};
    choices.xAxis = request.x.value_or(choices.xAxis);
    choices.smoothing.kind = request.smoothing.value_or(choices.smoothing.kind);
    choices.smoothing.width = request.width.value_or(choices.smoothing.width);
    if (request.width && choices.smoothing.kind == Smoothing::Kind::Off)
        throw Failure("plot: --width needs --smoothing, too", kWrongUsage);
    chooseGrouping(request, choices.grouping);
    if (request.areDifferences)
        choices.grouping.by = Grouping::By::Nothing;
    choices.showsDifferences = request.areDifferences || (choices.showsDifferences && request.group.empty());
    if (request.isLogarithmic)
        choices.logarithmic = recorded;  // the id of a plot is that of its first metric
    if (request.isWithoutOutliers)
        choices.clipped = recorded;
    choices.showsSuperseded = choices.showsSuperseded && !request.isWithoutSuperseded;
    if (!request.metrics.empty()) {
        choices.plots.metrics.emplace(request.metrics.begin(), request.metrics.end());
        choices.plots.hidden.clear();
    }
}

/// The runs that are named, or those of the view that are there.
QStringList runsOf(const launcher::DataHome& home, const PlotRequest& request, const ui::SavedView& view)
{
    QStringList ids;
    for (const std::string& name : request.runs) {
        if (const QString id = QString::fromStdString(findRun(home, name).id()); !ids.contains(id))
            ids << id;
    }
    if (!ids.isEmpty())
        return ids;
    const std::vector<std::string> there = runIds(home);
    for (const QString& id : view.drawn) {
        if (std::ranges::find(there, id.toStdString()) != there.end())
            ids << id;
        else
            printWarning("run " + id.toStdString() + " of the view is not here");
    }
    return ids;
}

/// @throws Failure when none of the runs has recorded one of @p wanted
std::set<std::string> recordedMetrics(const storage::Store& store, const QStringList& runs, const std::vector<std::string>& wanted)
{
    std::set<std::string> recorded;
    for (const QString& run : runs) {
        for (const storage::SeriesRow& series : store.series(run.toStdString())) {
            if (series.points > 0)
                recorded.insert(series.metric);
        }
    }
    for (const std::string& metric : wanted) {
        if (!recorded.contains(metric))
            throw Failure("plot: no run has values of " + contract::inQuotes(contract::shortened(metric)) + ": `atelier metrics RUN` lists its metrics");
    }
    return recorded;
}

const char* partWord(ui::LinePart part)
{
    return part == ui::LinePart::Low ? "low" : part == ui::LinePart::High ? "high" : "line";
}

Json lineJson(const ui::DrawnLine& line, const ui::PlotViewState& state)
{
    const ui::LineData& data = *line.data;
    const ui::Interval seen = state.x();
    Json json {{"name", line.name.toStdString()}, {data.runs > 0 ? "group" : "run", data.key.run}, {"metric", data.key.metric}, {"rank", data.key.rank}};
    if (data.runs > 0) {
        json.erase("rank");
        json.update({{"part", partWord(data.key.part)}, {"runs", data.runs}, {"lines", data.lines}});
    }
    json["exact"] = !data.isThinned;
    json["points"] = Json::array();
    for (std::size_t point = 0; data.points.has(state.xAxis()) && point < data.points.size(); ++point) {
        const double x = data.points.x(point, state.xAxis());
        if (x < seen.lower || x > seen.upper)
            continue;
        Json entry {data.points.steps()[point], jsonNumber(x), jsonNumber(data.points.raw().values()[point])};
        if (!data.smoothed.isEmpty())
            entry.push_back(jsonNumber(data.smoothed.values()[point]));
        json["points"].push_back(std::move(entry));
    }
    return json;
}

Json plotsJson(const OffscreenPlots& plots, const PlotRequest& request, const WantedPlots& wanted)
{
    Json columns {"step", "x", "value"};
    if (wanted.choices.smoothing.kind != Smoothing::Kind::Off)
        columns.push_back("smoothed");
    Json json {{"file", request.output.empty() ? Json(nullptr) : Json(request.output)}, {"x", wordOf(kAxisWords, wanted.choices.xAxis)}, {"point_columns", columns}, {"plots", Json::array()}};
    for (ui::PlotPanel* panel : plots.panels()) {
        Json lines = Json::array();
        for (const ui::DrawnLine& line : panel->canvas().lines())
            lines.push_back(lineJson(line, panel->canvas().viewState()));
        json["plots"].push_back({{"id", panel->group().id}, {"title", panel->title().toStdString()}, {"lines", lines}});
    }
    return json;
}

/// Runs of other programs, for example, do not say how many samples a step has.
void warnOfMissing(const OffscreenPlots& plots, XAxis axis)
{
    std::int64_t missing = 0;
    for (ui::PlotPanel* panel : plots.panels())
        missing += std::ranges::count_if(panel->canvas().lines(), [axis](const ui::DrawnLine& line) { return !line.data->points.has(axis); });
    if (missing > 0)
        printWarning(formatCount(missing) + (missing == 1 ? " line has no place" : " lines have no place") + " on the x axis " + wordOf(kAxisWords, axis) + ", and cannot be drawn");
}

ExitCode plot(const PlotRequest& request)
{
    if (request.output.empty() && !request.isJson)
        throw Failure("plot: give --output FILE, --json or both", kWrongUsage);
    if (request.runs.empty() && request.view.empty())
        throw Failure("plot: name runs, --view or both", kWrongUsage);
    if (!request.output.empty()) {
        checkFormat(request.output);
        checkTargetFile(request.output, request.isOverwriting);
    }
    const launcher::DataHome home = existingHome();
    const ui::SavedView view = request.view.empty() ? ui::SavedView() : viewNamed(home, request.view);
    WantedPlots wanted {.runs = runsOf(home, request, view), .baseline = view.baseline, .choices = view.plots, .from = request.from, .to = request.to};
    choose(request, recordedMetrics(openCatalogue(home), wanted.runs, request.metrics), wanted.choices);
    if (wanted.choices.showsDifferences && wanted.runs.size() < 2)
        throw Failure("plot: differences need two runs", kWrongUsage);
    OffscreenPlots plots(home, wanted);
    if (plots.panels().empty())
        throw Failure("plot: there is nothing to draw: the runs have recorded no metric yet, or the view shows none");
    warnOfMissing(plots, wanted.choices.xAxis);
    const int columns = request.columns > 0 ? request.columns : plots.panels().size() == 1 ? 1 : 2;
    if (!request.output.empty())
        plots.write(request.output, {request.size.first, request.size.second}, columns);
    if (request.isJson)
        printJson(plotsJson(plots, request, wanted));
    else
        printText(request.output + "\n");
    return kSuccess;
}

/// "640x320"
std::string parseSize(const std::string& text, std::pair<int, int>& size)
{
    constexpr int kLeast = 100, kMost = 10'000;
    int width = 0, height = 0, end = 0;
    const bool isRead = std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &end) == 2 && end == static_cast<int>(text.size());
    if (!isRead || std::min(width, height) < kLeast || std::max(width, height) > kMost)
        return "--size takes a width and a height from 100 to 10000, as in 640x320";
    size = {width, height};
    return {};
}

/// An option whose values are the words of @p words.
template <typename Value>
void addChoice(CLI::App* command, const std::string& name, const Words<Value>& words, std::optional<Value>& chosen, const std::string& help)
{
    command->add_option_function<std::string>(name, [&words, &chosen](const std::string& word) { chosen = words.at(word); }, help)
        ->check(CLI::IsMember(listOf(words)));
}

void addChoices(CLI::App* command, PlotRequest& request)
{
    addChoice(command, "--x", kAxisWords, request.x, "The x axis; otherwise the step");
    addChoice(command, "--smoothing", kSmoothingWords, request.smoothing, "How lines are smoothed; the raw lines stay behind, fainter");
    command->add_option("--width", request.width, "Half-life, standard deviation or window of the smoothing, in steps; default 50")
        ->type_name("STEPS")->check(CLI::Range(1.0, ui::kMostSmoothed));
    CLI::Option* differences = command->add_flag("--differences", request.areDifferences, "Draw the differences from the first run, or from the view's baseline");
    command->add_option("--group", request.group,
               "Draw one line for all runs that are equal in this, their mean with a band: run (each over its ranks), project, tags, repeats "
               "(all options but the seed), or an option such as optim.lr")
        ->type_name("BY")->excludes(differences);
    addChoice(command, "--band", kBandWords, request.band, "The band around a group's mean; otherwise min-max");
    command->add_option("--ignore", request.ignored, "With --group repeats: an option in which repeats may differ; * stands for any characters. "
                                                     "Otherwise run.name, run.seed and launch.*")
        ->type_name("KEY")->allow_extra_args(false);
    command->add_flag("--log", request.isLogarithmic, "Logarithmic y axes");
    command->add_flag("--no-outliers", request.isWithoutOutliers, "Fit the y axes to the middle 98 % of the values");
    command->add_flag("--no-superseded", request.isWithoutSuperseded, "Leave out what a later attempt has recorded again");
    command->add_option("--from", request.from, "Where the x axis begins, in steps, samples, epochs or seconds")->type_name("X");
    command->add_option("--to", request.to, "Where it ends")->type_name("X");
}

}  // namespace

void addPlotCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<PlotRequest>();
    CLI::App* command = app.add_subcommand("plot", "Draw the window's plots into a file, or print their values");
    command->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest; with --view in place of its runs");
    command->add_option("-o,--output", request->output, "File to write: a picture (.png), a drawing (.svg) or a document (.pdf)")->type_name("FILE");
    command->add_flag("--overwrite", request->isOverwriting, "Replace FILE if it exists");
    command->add_option("--metric", request->metrics, "A metric to draw, such as loss; otherwise those that the window draws")
        ->type_name("METRIC")->allow_extra_args(false);
    command->add_option("--view", request->view, "Draw what this saved view shows; other options change it")->type_name("NAME");
    addChoices(command, *request);
    command->add_option_function<std::string>("--size",
               [request](const std::string& text) {
                   if (const std::string problem = parseSize(text, request->size); !problem.empty())
                       throw CLI::ValidationError(problem);
               },
               "Width and height of each plot; a PNG has two pixels for each")
        ->type_name("WIDTHxHEIGHT")->default_str("640x320");
    command->add_option("--columns", request->columns, "Plots beside each other; otherwise two")->check(CLI::Range(1, 20));
    command->add_flag("--json", request->isJson, "Print the values that are drawn as one JSON document, means and bands of groups, too");
    command->footer("Runs look as in the window. `atelier export` writes all values, also superseded ones.");
    command->callback([request, &action] { action = [request] { return plot(*request); }; });
}

}  // namespace app
