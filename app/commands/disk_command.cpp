// atelier disk [clean]
#include "app/cli/catalogue.h"
#include "app/cli/checks.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/home/disk_usage.h"
#include "launcher/home/keep_rules.h"
#include "launcher/state/run_state.h"
#include "ui/checkpoint/checkpoint_files.h"
#include "ui/checkpoint/surplus_checkpoints.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace app {
namespace {

struct DiskRequest {
    std::vector<std::string> runs;
    launcher::KeepRules rules;
    std::size_t limit = 20;
    bool isPreview = false;
    bool isJson = false;
};

Json usageJson(const launcher::DiskUsage& usage)
{
    Json runs = Json::array();
    for (const launcher::RunUsage& each : usage.runs) {
        Json& run = runs.emplace_back(Json {{"run", each.run}});
        for (std::size_t kind = 0; kind < launcher::kFileKinds; ++kind)
            run[nameOf(static_cast<launcher::FileKind>(kind))] = each.bytes.at(kind);
        run["total"] = each.total();
    }
    return {{"runs", runs}, {"database", usage.database}, {"caches", usage.caches}, {"trash", usage.trash}, {"incoming", usage.incoming},
        {"total", usage.total()}, {"free", usage.free}};
}

std::string usageText(const launcher::DiskUsage& usage, std::size_t limit)
{
    using enum Table::Align;
    Table table({{"RUN"}, {"CHECKPOINTS", Right}, {"SAMPLES", Right}, {"JOURNALS", Right}, {"LOGS", Right}, {"OTHER", Right}, {"TOTAL", Right}});
    launcher::RunUsage rest;
    std::size_t shown = 0;
    const auto addRow = [&table](const std::string& name, const launcher::RunUsage& run) {
        std::vector<std::string> cells {name};
        for (const std::uint64_t bytes : run.bytes)
            cells.push_back(bytes > 0 ? formatBytes(bytes) : "");
        cells.push_back(formatBytes(run.total()));
        table.addRow(cells);
    };
    for (const launcher::RunUsage& run : usage.runs) {
        if (shown < limit) {
            ++shown;
            addRow(run.run, run);
            continue;
        }
        for (std::size_t kind = 0; kind < launcher::kFileKinds; ++kind)
            rest.bytes.at(kind) += run.bytes.at(kind);
    }
    if (usage.runs.size() > shown)
        addRow(formatCount(static_cast<std::int64_t>(usage.runs.size() - shown)) + " more runs", rest);
    for (const auto& [name, bytes] : {std::pair("database", usage.database), std::pair("caches", usage.caches), std::pair("trash", usage.trash),
             std::pair("incoming", usage.incoming), std::pair("all", usage.total())}) {
        if (bytes > 0)
            table.addRow({name, "", "", "", "", "", formatBytes(bytes)});
    }
    return table.text() + formatBytes(usage.free) + " are free. `atelier disk clean` makes room, `atelier trash empty` empties the trash.\n";
}

ExitCode disk(const DiskRequest& request)
{
    const launcher::DiskUsage usage = launcher::diskUsage(existingHome());
    if (request.isJson)
        printJson(usageJson(usage));
    else
        printText(usageText(usage, request.limit));
    return kSuccess;
}

/// Of the runs that are named, else of all that are not active. Warns of what cannot be read.
ui::Surplus surplusFor(const launcher::DataHome& home, const DiskRequest& request)
{
    std::vector<std::string> ids;
    for (const std::string& name : request.runs) {
        ids.push_back(findRun(home, name).id());
        if (launcher::isActive(launcher::inspectRun(contract::RunFolder(home.runs() / ids.back())).state))
            throw Failure("run " + ids.back() + " is active and keeps its checkpoints itself (checkpoint.keep); stop it first");
    }
    ui::Surplus surplus = ui::surplusOf(home, request.runs.empty() ? runIds(home) : ids, request.rules);
    for (const std::string& problem : surplus.problems)
        printWarning(problem);
    return surplus;
}

Json surplusJson(const std::vector<ui::SurplusCheckpoint>& surplus)
{
    Json list = Json::array();
    for (const ui::SurplusCheckpoint& each : surplus)
        list.push_back({{"name", each.name()}, {"run", each.run}, {"step", each.step}, {"bytes", each.bytes}, {"folder", each.folder.string()}});
    return list;
}

ExitCode clean(const DiskRequest& request)
{
    if (!request.rules.last && !request.rules.every && request.rules.best.empty())
        throw Failure("disk clean: say which checkpoints to keep, with --keep-last, --keep-every or --keep-best", kWrongUsage);
    const launcher::DataHome home = existingHome();
    const ui::Surplus all = surplusFor(home, request);
    const std::vector<ui::SurplusCheckpoint>& surplus = all.checkpoints;
    const std::uint64_t bytes = all.bytes();
    std::vector<std::string> lines;
    for (const ui::SurplusCheckpoint& each : surplus)
        lines.push_back(each.name() + "  " + formatBytes(each.bytes));
    const std::string sum = formatCount(static_cast<std::int64_t>(surplus.size())) + (surplus.size() == 1 ? " checkpoint, " : " checkpoints, ") + formatBytes(bytes);
    if (request.isPreview || surplus.empty()) {
        if (request.isJson) {
            printJson({{"moved", Json::array()}, {"would_move", surplusJson(surplus)}, {"bytes", bytes}});
        } else {
            std::string text;
            for (const std::string& line : lines)
                text += printable(line) + "\n";
            printText(text + (surplus.empty() ? "The rules keep every checkpoint.\n" : sum + " would be moved to the trash.\n"));
        }
        return kSuccess;
    }
    std::vector<std::filesystem::path> folders;
    for (const ui::SurplusCheckpoint& each : surplus)
        folders.push_back(each.folder);
    const ui::TrashResult result = ui::moveToTrash(home, folders);
    for (const QString& sentence : result.refused)
        printWarning(sentence.toStdString());
    std::vector<ui::SurplusCheckpoint> moved;
    std::string names;
    for (const ui::TrashedCheckpoint& each : result.done) {
        moved.push_back(*std::ranges::find(surplus, each.from, &ui::SurplusCheckpoint::folder));
        names += " " + moved.back().name();
    }
    if (request.isJson)
        printJson({{"moved", surplusJson(moved)}, {"would_move", Json::array()}, {"bytes", result.bytes()}});
    else if (!moved.empty())
        printText("Moved " + formatCount(static_cast<std::int64_t>(moved.size())) + (moved.size() == 1 ? " checkpoint, " : " checkpoints, ")
            + formatBytes(static_cast<std::uint64_t>(result.bytes())) + ", to the trash; `atelier trash empty` frees the space. To undo this:\n  atelier trash restore"
            + names + "\n");
    return result.refused.empty() ? kSuccess : kFailed;
}

}  // namespace

void addDiskCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<DiskRequest>();
    CLI::App* command = app.add_subcommand("disk", "Show what occupies the disk, by run and kind of file, or make room");
    command->add_option("-n,--number", request->limit, "Number of runs, the largest first")->capture_default_str();
    command->add_flag("--json", request->isJson, "Print one JSON document, with all runs");
    command->callback([request, command, &action] {
        if (command->get_subcommands().empty())
            action = [request] { return disk(*request); };
    });

    CLI::App* cleaning = command->add_subcommand("clean", "Move checkpoints to the trash that no rule keeps");
    cleaning->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest; otherwise all runs that are not active");
    cleaning->add_option("--keep-last", request->rules.last, "Keep the latest N checkpoints of each run")->type_name("N")->check(wholeNumberFrom(1));
    cleaning->add_option("--keep-every", request->rules.every, "Keep those whose step is a multiple of STEPS")->type_name("STEPS")->check(wholeNumberFrom(1));
    CLI::Option* best = cleaning->add_option("--keep-best", request->rules.best, "Keep the one with the lowest value of METRIC, such as validation/loss")
                            ->type_name("METRIC");
    cleaning->add_option("--best-count", request->rules.bestCount, "Keep so many of the best")->needs(best)->check(wholeNumberFrom(1))->capture_default_str();
    cleaning->add_flag("--highest", request->rules.isHighestBest, "The highest value is the best")->needs(best);
    CLI::Option* preview = cleaning->add_flag("--preview", request->isPreview, "Only say what would be moved");
    cleaning->add_flag("--yes")->group("")->excludes(preview);  // of when it asked
    cleaning->add_flag("--json", request->isJson, "Print one JSON document");
    cleaning->footer("The latest checkpoint of a run and pinned ones are always kept. What is moved can be restored until the trash is emptied.");
    cleaning->callback([request, &action] { action = [request] { return clean(*request); }; });
}

}  // namespace app
