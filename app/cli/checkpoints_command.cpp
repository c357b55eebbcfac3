// atelier checkpoints [list|verify]
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/checkpoint_lock.h"
#include "engine/contract/checkpoint_manifest.h"

#include <memory>

namespace app {
namespace {

struct CheckpointsRequest {
    std::string run;
    bool isJson = false;
};

struct Row {
    std::int64_t step = 0;
    std::filesystem::path folder;
    contract::CheckpointManifest manifest;
    bool isPinned = false;
    std::string damage;  ///< empty when it is whole
};

/// From the folders, which are the truth: reading a manifest checks sizes and ranges too.
std::vector<Row> read(const contract::RunFolder& run)
{
    std::vector<Row> rows;
    for (const std::int64_t step : run.checkpointSteps()) {
        const contract::CheckpointLock lock(run.checkpoint(step), contract::CheckpointLock::Use::Read);
        if (!lock.isHeld())
            continue;  // it is being removed
        Row row {.step = step, .folder = run.checkpoint(step), .manifest = {}, .isPinned = false, .damage = {}};
        row.isPinned = std::filesystem::exists(row.folder / contract::kPinFile);
        try {
            row.manifest = contract::readManifest(row.folder);
        } catch (const std::exception& error) {
            row.damage = error.what();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json rowJson(const Row& row)
{
    Json metrics = Json::object();
    for (const auto& [name, value] : row.manifest.metrics)
        metrics[name] = jsonNumber(value);
    return {{"step", row.step}, {"folder", row.folder.string()}, {"attempt", row.manifest.attempt},
        {"unix_ms", row.manifest.unixMs}, {"bytes", row.manifest.bytes()},
        {"world_size", row.manifest.worldSize}, {"model", row.manifest.model},
        {"pinned", row.isPinned}, {"damage", row.damage}, {"metrics", metrics}};
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
            !isWhole           ? "damaged"
                : row.isPinned ? "pinned"
                               : "",
            row.folder.string()});
    }
    return table.text();
}

ExitCode list(const CheckpointsRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    const std::vector<Row> rows = read(run);
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

ExitCode verify(const CheckpointsRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    std::string damage;
    std::size_t damaged = 0, count = 0;
    for (const std::int64_t step : run.checkpointSteps()) {
        const contract::CheckpointLock lock(run.checkpoint(step), contract::CheckpointLock::Use::Read);
        if (!lock.isHeld())
            continue;  // rotated just now
        ++count;
        try {
            contract::verifyCheckpoint(run.checkpoint(step));
        } catch (const std::exception& error) {
            ++damaged;
            damage += std::string("; ") + error.what();
        }
    }
    if (damaged > 0)
        throw Failure(std::to_string(damaged) + " of " + std::to_string(count) + " checkpoints of run "
            + run.id() + " are damaged" + damage);
    printText(std::to_string(count) + " checkpoints of run " + run.id()
        + " are whole: every byte was read, and checksums, manifests and ranges agree.\n");
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
    CLI::App* command = app.add_subcommand("checkpoints", "List a run's checkpoints, or check them");
    addRun(command, *request);
    command->add_flag("--json", request->isJson, "Print one JSON document");
    const auto set = [request, &action](ExitCode (*what)(const CheckpointsRequest&)) {
        action = [request, what] {
            if (request->run.empty())
                throw Failure("checkpoints: name a run, as in `atelier checkpoints latest`", kWrongUsage);
            return what(*request);
        };
    };
    command->callback([set, command] {
        if (command->get_subcommands().empty())
            set(list);
    });
    CLI::App* listing = command->add_subcommand("list", "List them (the same as without this word)");
    addRun(listing, *request);
    listing->add_flag("--json", request->isJson, "Print one JSON document");
    listing->callback([set] { set(list); });
    CLI::App* checking = command->add_subcommand("verify", "Read every byte and compare checksums, manifests and ranges");
    addRun(checking, *request);
    checking->callback([set] { set(verify); });
}

}  // namespace app
