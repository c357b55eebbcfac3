// atelier checkpoints [list|verify|pin|unpin|remove]; export, diff and tensors have files of their own
#include "app/cli/catalogue.h"
#include "app/cli/checks.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/journal_tail.h"
#include "app/cli/output.h"
#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/origin.h"
#include "ui/checkpoint/checkpoint_files.h"
#include "ui/checkpoint/checkpoint_measure.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace app {
namespace {

struct CheckpointsRequest {
    std::string run;
    bool isJson = false;
    std::int64_t step = -1;  ///< negative: all
};

struct Row {
    std::int64_t step = 0;
    std::filesystem::path folder;
    contract::CheckpointManifest manifest;
    bool isPinned = false;
    bool isLatest = false;
    bool isBest = false;  ///< by the run's measure
    bool isSuperseded = false;  ///< whether another attempt has written a checkpoint of the same step in its place
    std::string damage;  ///< why the checkpoint is damaged; empty when it is not
};

/// Whether a checkpoint that cannot be locked is being removed. Otherwise it is damaged: no folder, or not readable.
bool isBeingRemoved(const std::filesystem::path& checkpoint)
{
    std::error_code error;
    const bool isThere = std::filesystem::exists(std::filesystem::symlink_status(checkpoint, error));
    return !isThere || (std::filesystem::is_directory(checkpoint, error) && ::access(checkpoint.c_str(), R_OK | X_OK) == 0);
}

/// Everything in the run's folder that is named as a checkpoint, by step; of one step the one in use comes first.
std::vector<Row> foldersOf(const contract::RunFolder& run)
{
    std::vector<Row> rows;
    for (const std::int64_t step : run.checkpointFolders())
        rows.push_back({.step = step, .folder = run.checkpoint(step), .manifest = {}, .damage = {}});
    for (const auto& [step, number] : run.formerCheckpoints())
        rows.push_back({.step = step, .folder = run.formerCheckpoint(step, number), .manifest = {}, .isSuperseded = true, .damage = {}});
    std::ranges::stable_sort(rows, {}, &Row::step);
    return rows;
}

/// Reads the checkpoint folders, not the database. Reading a manifest also checks its checksum, sizes and ranges.
std::vector<Row> read(const contract::RunFolder& run)
{
    std::vector<Row> rows;
    for (Row& row : foldersOf(run)) {
        const contract::CheckpointLock lock(row.folder, contract::CheckpointLock::Use::Read);
        if (!lock.isHeld() && isBeingRemoved(row.folder))
            continue;
        row.isPinned = contract::hasEntry(row.folder / contract::kPinFile);
        try {
            row.manifest = contract::readManifest(row.folder);
        } catch (const std::exception& error) {
            row.damage = error.what();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Marks the latest and the best of those that are in use and not damaged.
void markRows(const contract::RunFolder& run, std::vector<Row>& rows)
{
    std::vector<Row*> whole;
    for (Row& row : rows) {
        if (row.damage.empty() && !row.isSuperseded)
            whole.push_back(&row);
    }
    if (whole.empty())
        return;
    const contract::Lineage history = contract::historyOf(run);
    const auto latest
        = std::find_if(whole.rbegin(), whole.rend(), [&](const Row* row) { return contract::belongs(history, row->manifest.attempt, row->step); });
    if (latest != whole.rend())
        (*latest)->isLatest = true;
    const std::vector<int> attempts = run.attempts();
    const bool hasExperiment = !attempts.empty() && contract::whyNoExperiment(run).empty();
    const auto measure = hasExperiment ? ui::checkpointMeasure(contract::loadExperiment(run.config(attempts.back())).experiment) : ui::CheckpointMeasure();
    const auto valueOf = [&](std::size_t i, const std::string& metric) -> std::optional<double> {
        const auto value = whole[i]->manifest.metrics.find(metric);
        return value == whole[i]->manifest.metrics.end() ? std::nullopt : std::optional(value->second);
    };
    if (const auto best = ui::bestCheckpoint(measure, whole.size(), valueOf))
        whole[*best]->isBest = true;
}

Json rowJson(const Row& row)
{
    Json metrics = Json::object();
    for (const auto& [name, value] : row.manifest.metrics)
        metrics[name] = jsonNumber(value);
    return {{"step", row.step}, {"folder", row.folder.string()}, {"attempt", row.manifest.attempt},
        {"unix_ms", row.manifest.unixMs}, {"bytes", row.manifest.bytes()},
        {"world_size", row.manifest.worldSize}, {"model", row.manifest.model},
        {"latest", row.isLatest}, {"best", row.isBest}, {"pinned", row.isPinned}, {"superseded", row.isSuperseded}, {"damage", row.damage}, {"metrics", metrics}};
}

std::string conditionOf(const Row& row)
{
    std::string text;
    for (const auto& [word, holds] : {std::pair("damaged", !row.damage.empty()), std::pair("latest", row.isLatest), std::pair("best", row.isBest),
             std::pair("pinned", row.damage.empty() && row.isPinned), std::pair("superseded", row.isSuperseded)}) {
        if (holds)
            text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
}

std::string tableText(const std::vector<Row>& rows)
{
    using enum Table::Align;
    Table table({{"STEP", Right}, {"WRITTEN"}, {"SIZE", Right}, {"LOSS", Right}, {"RANKS", Right}, {""},
        {"FOLDER"}});
    for (const Row& row : rows) {
        const auto loss = row.manifest.metrics.find("loss");
        const bool isWhole = row.damage.empty();
        table.addRow({std::to_string(row.step), isWhole ? formatTime(row.manifest.unixMs) : "",
            isWhole ? formatBytes(row.manifest.bytes()) : "",
            loss == row.manifest.metrics.end() ? "" : formatNumber(loss->second),
            isWhole ? std::to_string(row.manifest.worldSize) : "",
            conditionOf(row),
            row.folder.string()});
    }
    return table.text();
}

ExitCode list(const CheckpointsRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    std::vector<Row> rows = read(run);
    markRows(run, rows);
    if (request.isJson) {
        Json document = Json::array();
        for (const Row& row : rows)
            document.push_back(rowJson(row));
        printJson(document);
    } else {
        printText(rows.empty() ? "Run " + run.id() + " has no checkpoints yet.\n" : tableText(rows));
    }
    return kSuccess;
}

/// Steps of the checkpoints that were written according to rank 0's journal.
std::set<std::int64_t> journalledSteps(const contract::RunFolder& run)
{
    std::set<std::int64_t> steps;
    JournalTail(run.journal(0), 0).poll([&](const contract::JournalLine& line) {
        if (line.kind == contract::JournalLine::Kind::Record && line.type == contract::record::kCheckpoint)
            steps.insert(line.step);
    });
    return steps;
}

/// A sentence about the checkpoints in @p steps, which the journal lists and which are not there; empty when there are none.
std::string absenceText(const std::set<std::int64_t>& steps)
{
    std::string list;
    for (const std::int64_t step : steps)
        list += (list.empty() ? "" : ", ") + std::to_string(step);
    return list.empty() ? "" : "Rotation or someone has removed what the journal lists as written at step " + list + ".\n";
}

std::string noCheckpoint(const contract::RunFolder& run, std::int64_t step)
{
    return "run " + run.id() + " has no checkpoint of step " + std::to_string(step);
}

struct Verified {
    std::int64_t step = 0;
    std::filesystem::path folder;
    bool isSuperseded = false;
    std::string damage;  ///< empty: there is none
};

/// Reads every byte of the checkpoints that the request is about.
std::vector<Verified> verified(const contract::RunFolder& run, const CheckpointsRequest& request)
{
    std::vector<Verified> all;
    for (const Row& row : foldersOf(run)) {
        if (request.step >= 0 && (row.step != request.step || row.isSuperseded))
            continue;
        const contract::CheckpointLock lock(row.folder, contract::CheckpointLock::Use::Read);
        if (!lock.isHeld() && isBeingRemoved(row.folder))
            continue;
        all.push_back({.step = row.step, .folder = row.folder, .isSuperseded = row.isSuperseded, .damage = {}});
        try {
            contract::verifyCheckpoint(row.folder);
        } catch (const std::exception& error) {
            all.back().damage = error.what();
        }
    }
    return all;
}

Json verifiedJson(const contract::RunFolder& run, const std::vector<Verified>& all, const std::set<std::int64_t>& absent)
{
    Json checkpoints = Json::array();
    for (const Verified& each : all)
        checkpoints.push_back({{"step", each.step}, {"folder", each.folder.string()}, {"superseded", each.isSuperseded}, {"damage", each.damage}});
    return {{"run", run.id()}, {"checkpoints", checkpoints}, {"removed_steps", absent}};
}

std::string verifiedText(const contract::RunFolder& run, const CheckpointsRequest& request, std::size_t count)
{
    const std::string ofRun = " of run " + run.id();
    const std::string what = request.step >= 0 ? "The checkpoint of step " + std::to_string(request.step) + " is"
        : count == 1                           ? "The only checkpoint" + ofRun + " is"
                                               : std::to_string(count) + " checkpoints" + ofRun + " are";
    return what + " undamaged: every byte was read, and checksums, manifests and ranges agree.\n";
}

ExitCode verify(const CheckpointsRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    std::set<std::int64_t> absent = request.step >= 0 ? std::set<std::int64_t>() : journalledSteps(run);
    const std::vector<Verified> all = verified(run, request);
    if (request.step >= 0 && all.empty())
        throw Failure(noCheckpoint(run, request.step));
    std::string damage;
    std::size_t damaged = 0;
    for (const Verified& each : all) {
        if (!each.isSuperseded)
            absent.erase(each.step);
        if (each.damage.empty())
            continue;
        ++damaged;
        damage += "; " + each.damage;
    }
    if (request.isJson) {
        printJson(verifiedJson(run, all, absent));
        return damaged > 0 ? kFailed : kSuccess;
    }
    if (damaged > 0 && request.step >= 0)
        throw Failure("the checkpoint of step " + std::to_string(request.step) + " is damaged" + damage);
    if (damaged > 0)
        throw Failure((all.size() == 1 ? "the only checkpoint" : std::to_string(damaged) + " of " + std::to_string(all.size()) + " checkpoints") + " of run "
            + run.id() + (damaged == 1 ? " is" : " are") + " damaged" + damage);
    const std::string text = all.empty() ? "Run " + run.id() + " has no checkpoints yet.\n" : verifiedText(run, request, all.size());
    printText(text + absenceText(absent));
    return kSuccess;
}

/// The checkpoint that --step names. @throws Failure when there is none
std::filesystem::path namedCheckpoint(const contract::RunFolder& run, std::int64_t step)
{
    const std::vector<std::int64_t> steps = run.checkpointFolders();
    if (std::ranges::find(steps, step) == steps.end())
        throw Failure(noCheckpoint(run, step));
    return run.checkpoint(step);
}

ExitCode setPin(const CheckpointsRequest& request, bool isPinned)
{
    const std::filesystem::path folder = namedCheckpoint(findRun(existingHome(), request.run), request.step);
    if (const QString problem = ui::setPinned(folder, isPinned); !problem.isEmpty())
        throw Failure(problem.toStdString());
    printText(folder.filename().string() + (isPinned ? " is pinned.\n" : " is not pinned.\n"));
    return kSuccess;
}

ExitCode pin(const CheckpointsRequest& request) { return setPin(request, true); }
ExitCode unpin(const CheckpointsRequest& request) { return setPin(request, false); }

ExitCode remove(const CheckpointsRequest& request)
{
    const launcher::DataHome home = existingHome();
    const std::filesystem::path folder = namedCheckpoint(findRun(home, request.run), request.step);
    const ui::TrashResult result = ui::moveToTrash(home, {folder});
    if (!result.refused.empty())
        throw Failure(result.refused.front().toStdString());
    printText(folder.filename().string() + " with " + formatBytes(static_cast<std::uint64_t>(result.bytes())) + " was moved to the trash.\n");
    return kSuccess;
}

void addRun(CLI::App* command, CheckpointsRequest& request)
{
    command->add_option("RUN", request.run, "Id, start of an id, name, or latest");
}

}  // namespace

void addCheckpointsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<CheckpointsRequest>();
    CLI::App* command = app.add_subcommand("checkpoints", "List a run's checkpoints and their tensors, check, pin, remove or compare them, or export weights");
    addRun(command, *request);
    command->add_flag("--json", request->isJson, "Print one JSON document");
    const auto set = [request, &action](ExitCode (*handler)(const CheckpointsRequest&)) {
        action = [request, handler] {
            if (request->run.empty())
                throw Failure("checkpoints: name a run, as in `atelier checkpoints latest`", kWrongUsage);
            return handler(*request);
        };
    };
    command->callback([set, command] {
        if (command->get_subcommands().empty())
            set(list);
    });
    CLI::App* listing = command->add_subcommand("list", "List a run's checkpoints; the same as `atelier checkpoints RUN`");
    addRun(listing, *request);
    listing->add_flag("--json", request->isJson, "Print one JSON document");
    listing->callback([set] { set(list); });
    CLI::App* checking = command->add_subcommand("verify", "Read every byte and compare checksums, manifests and ranges");
    addRun(checking, *request);
    checking->add_option("--step", request->step, "Only the checkpoint of this step; all otherwise")->check(wholeNumberFrom(0));
    checking->add_flag("--json", request->isJson, "Print one JSON document");
    checking->callback([set] { set(verify); });
    const auto addForStep = [&](const char* name, const char* help, ExitCode (*handler)(const CheckpointsRequest&)) {
        CLI::App* part = command->add_subcommand(name, help);
        addRun(part, *request);
        part->add_option("--step", request->step, "Step of the checkpoint")->required()->check(wholeNumberFrom(0));
        part->callback([set, handler] { set(handler); });
    };
    addForStep("pin", "Keep a checkpoint from rotation and deletion", pin);
    addForStep("unpin", "Let a checkpoint be rotated and deleted again", unpin);
    addForStep("remove", "Move a checkpoint to the trash", remove);
    addCheckpointsExportCommand(*command, action);
    addCheckpointsDiffCommand(*command, action);
    addCheckpointsTensorsCommand(*command, action);
}

}  // namespace app
