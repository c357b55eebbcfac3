#include "app/cli/planned_runs.h"

#include "app/cli/format.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace app {
namespace {

using Level = launcher::PreflightItem::Level;

/// "optim.lr=1e-4 launch.ranks=2"
std::string valuesText(const PlannedRun& run)
{
    std::string text;
    for (const auto& [key, value] : run.varied)
        text += (text.empty() ? "" : " ") + key + "=" + value;
    return text;
}

std::string joinedLines(const std::vector<std::string>& lines, const char* between)
{
    std::string text;
    for (const std::string& line : lines)
        text += (text.empty() ? "" : between) + line;
    return text;
}

/// Why @p failed, some of @p runs, cannot start: in one sentence that names the first of them, unless all fail for the same reason.
std::string refusal(const std::vector<PlannedRun>& runs, const std::vector<const PlannedRun*>& failed)
{
    const std::vector<std::string> errors = failed.front()->errors();
    const bool areAllAlike
        = failed.size() == runs.size() && std::ranges::all_of(failed, [&](const PlannedRun* each) { return each->errors() == errors; });
    if (areAllAlike)
        return joinedLines(errors, "\nerror: ");
    const std::size_t others = failed.size() - 1;
    return "none of the " + std::to_string(runs.size()) + " runs was queued, because the one with " + valuesText(*failed.front()) + " cannot start"
        + (others == 0 ? "" : others == 1 ? ", nor can 1 other" : ", nor can " + std::to_string(others) + " others") + ": " + errors.front();
}

/// "optim.lr=1e-4, optim.lr=3e-4 and 4 more: ", the runs that a warning is about; empty when it is about all.
std::string namesOf(const std::vector<const PlannedRun*>& warned, std::size_t all)
{
    constexpr std::size_t kMostNamed = 3;
    if (warned.size() == all)
        return {};
    std::string text;
    for (std::size_t i = 0; i < warned.size() && i < kMostNamed; ++i)
        text += (i == 0 ? "" : ", ") + valuesText(*warned[i]);
    return text + (warned.size() > kMostNamed ? " and " + std::to_string(warned.size() - kMostNamed) + " more" : "") + ": ";
}

std::string findingText(const PlannedRun& run)
{
    std::vector<std::string> parts;
    for (const std::string& error : run.errors())
        parts.push_back(error + " [error]");
    for (const std::string& warning : run.messages(Level::Warning))
        parts.push_back(warning + " [warning]");
    return parts.empty() ? "can start" : joinedLines(parts, "; ");
}

}  // namespace

std::vector<std::string> PlannedRun::messages(Level level) const
{
    std::vector<std::string> found;
    for (const launcher::PreflightItem& item : checks) {
        if (item.level == level)
            found.push_back(item.message);
    }
    return found;
}

std::vector<std::string> PlannedRun::errors() const
{
    std::vector<std::string> lines = messages(Level::Error);
    constexpr std::string_view kNext = "\nerror: ";
    for (std::size_t begin = 0; begin < mistake.size();) {
        const std::size_t end = std::min(mistake.find(kNext, begin), mistake.size());
        lines.push_back(mistake.substr(begin, end - begin));
        begin = end + kNext.size();
    }
    return lines;
}

std::vector<PlannedRun> planRuns(const launcher::DataHome& home, const std::filesystem::path& file, const ExperimentChanges& changes)
{
    home.create();  // so that its disk can be measured
    std::vector<PlannedRun> runs;
    std::vector<contract::Experiment> experiments;
    for (const ExperimentChanges& each : combinations(changes)) {
        PlannedRun& run = runs.emplace_back(PlannedRun {.varied = each.varied, .experiment = {}, .mistake = {}, .checks = {}});
        try {
            run.experiment = readExperiment(file, each);
            experiments.push_back(run.experiment);
        } catch (const Failure& failure) {
            run.mistake = failure.what();
        }
    }
    auto checks = launcher::preflightAll(home, experiments);
    auto next = checks.begin();
    for (PlannedRun& run : runs) {
        if (run.mistake.empty())
            run.checks = std::move(*next++);
    }
    return runs;
}

void requireReady(const std::vector<PlannedRun>& runs)
{
    std::vector<const PlannedRun*> failed;
    std::set<std::string> said;
    for (const PlannedRun& run : runs) {
        if (!run.errors().empty())
            failed.push_back(&run);
        for (const std::string& warning : run.messages(Level::Warning)) {
            if (!said.insert(warning).second)
                continue;
            std::vector<const PlannedRun*> warned;
            for (const PlannedRun& each : runs) {
                if (std::ranges::count(each.messages(Level::Warning), warning) > 0)
                    warned.push_back(&each);
            }
            printWarning(namesOf(warned, runs.size()) + warning);
        }
    }
    if (!failed.empty())
        throw Failure(refusal(runs, failed));
}

ExitCode showRuns(const std::vector<PlannedRun>& runs)
{
    std::vector<Table::Column> columns {{"RUN"}};
    for (const auto& [key, value] : runs.front().varied)
        columns.push_back({key, Table::Align::Right});
    columns.push_back({""});
    Table table(columns);
    bool canAllStart = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::vector<std::string> cells {runs[i].mistake.empty() ? printable(runs[i].experiment.text("run.name")) : std::to_string(i + 1)};
        for (const auto& [key, value] : runs[i].varied)
            cells.push_back(printable(value));
        cells.push_back(printable(findingText(runs[i])));
        table.addRow(std::move(cells));
        canAllStart = canAllStart && runs[i].errors().empty();
    }
    printText(table.text());
    return canAllStart ? kSuccess : kFailed;
}

Json runsJson(const std::vector<PlannedRun>& runs)
{
    Json list = Json::array();
    for (const PlannedRun& run : runs) {
        Json settings = Json::object();
        for (const auto& [key, value] : run.varied)
            settings[key] = value;
        list.push_back({{"name", run.mistake.empty() ? Json(run.experiment.text("run.name")) : Json(nullptr)}, {"settings", settings},
            {"errors", run.errors()}, {"warnings", run.messages(Level::Warning)}, {"found", run.messages(Level::Ok)}});
    }
    return list;
}

}  // namespace app
