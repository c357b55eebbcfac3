// atelier checkpoints [list|verify|export]
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/adapter_export.h"
#include "engine/contract/checkpoint_lock.h"
#include "engine/contract/experiment.h"
#include "engine/contract/checkpoint_manifest.h"
#include "engine/contract/model_folder.h"
#include "engine/contract/weights_export.h"

#include <map>
#include <memory>

namespace app {
namespace {

struct CheckpointsRequest {
    std::string run;
    bool isJson = false;
    std::int64_t step = -1;  ///< to export; negative: the latest
    std::string to;
    std::string weights = "model";
    std::string dtype = "stored";
    std::string format = "safetensors";
    std::string model;  ///< folder that the training began with
    std::uint64_t mostFileBytes = contract::ExportFormat().mostFileBytes;
    std::string prefix;
    std::string adapter = "default";
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

/// One file a line.
std::string listOf(const std::vector<std::filesystem::path>& files)
{
    std::string text;
    for (const std::filesystem::path& file : files)
        text += file.string() + "\n";
    return text;
}

/// The folder that the training began with: as given, or as the run's experiment names it.
std::string modelOf(const contract::RunFolder& run, const CheckpointsRequest& request)
{
    if (!request.model.empty() || request.format == "safetensors")
        return request.model;
    if (std::filesystem::is_directory(run.model()))
        return run.model().string();
    const auto attempts = run.attempts();
    const std::string folder = attempts.empty() ? "" : contract::loadExperiment(run.config(attempts.back())).experiment.text("model.folder");
    if (folder.empty())
        throw Failure("checkpoints export: --format " + request.format + " needs --model, the folder that the training began with", kWrongUsage);
    return folder;
}

/// The component of the model's folder that was trained.
std::string componentOf(const contract::CheckpointManifest& manifest)
{
    const auto component = manifest.modelOptions.find("model.component");
    return component == manifest.modelOptions.end() ? "transformer" : component->second;
}

std::vector<std::filesystem::path> exportFrom(
    const std::filesystem::path& checkpoint, const std::string& model, const CheckpointsRequest& request)
{
    static const std::map<std::string, std::string> dtypes = {{"stored", ""}, {"fp32", "F32"}, {"bf16", "BF16"}, {"fp16", "F16"}};
    contract::ExportFormat format {.dtype = dtypes.at(request.dtype), .mostFileBytes = request.mostFileBytes, .prefix = request.prefix};
    const contract::CheckpointWeights trained(
        checkpoint, request.weights == "ema" ? contract::ExportedWeights::Average : contract::ExportedWeights::Model);
    std::filesystem::create_directories(request.to);
    if (request.format == "safetensors") {
        format.stem = "model";
        return contract::exportWeights(trained, request.to, format);
    }
    if (trained.manifest().model == "sd3" && request.format != "diffusers")
        throw Failure("the run trained a model that began from nothing: take --format diffusers or safetensors", kWrongUsage);
    if (trained.manifest().model == "sd3")
        return contract::exportPipeline(trained, model, request.to, format);
    const contract::SafetensorsSet base(contract::ModelFolder(model).component(componentOf(trained.manifest())));
    if (request.format == "diffusers" && !contract::holdsAdapter(trained))
        return contract::exportComponent(base, contract::withTrained(base, trained.tensors()), request.to, format);
    const contract::TrainedAdapter adapter(trained, request.adapter, contract::adapterConfigOf(trained.manifest()));
    if (request.format == "merged")
        return contract::exportComponent(base, contract::withAdapter(base, adapter, format.dtype), request.to, format);
    std::vector<std::string> names;
    for (const auto& [name, item] : base.items())
        names.push_back(name);
    static const std::map<std::string, contract::AdapterForm> forms = {{"diffusers", contract::AdapterForm::DiffusersPipeline},
        {"kohya", contract::AdapterForm::Kohya}, {"peft", contract::AdapterForm::Peft}};
    return contract::exportAdapter(adapter, names, request.to, forms.at(request.format), format.dtype);
}

ExitCode exportCheckpoint(const CheckpointsRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    const auto steps = run.checkpointSteps();
    if (steps.empty())
        throw Failure("run " + run.id() + " has no checkpoints yet");
    const std::filesystem::path folder = run.checkpoint(request.step < 0 ? steps.back() : request.step);
    const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Read);
    const std::string model = modelOf(run, request);
    try {
        printText(listOf(exportFrom(folder, model, request)));
    } catch (const std::exception& error) {
        throw Failure(std::string("export: ") + error.what());
    }
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
    CLI::App* command = app.add_subcommand("checkpoints", "List a run's checkpoints, check them, or export weights");
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
    CLI::App* exporting = command->add_subcommand("export", "Write the whole weights of one for other programs");
    addRun(exporting, *request);
    exporting->add_option("--step", request->step, "Of this step instead of the latest")->check(CLI::NonNegativeNumber);
    exporting->add_option("--to", request->to, "Folder for the files")->required()->type_name("DIR");
    exporting->add_option("--weights", request->weights, "model: as trained; ema: their moving average")
        ->check(CLI::IsMember({"model", "ema"}))->capture_default_str();
    exporting->add_option("--dtype", request->dtype, "stored: as in the checkpoint; else rounded to it")
        ->check(CLI::IsMember({"stored", "fp32", "bf16", "fp16"}))->capture_default_str();
    exporting->add_option("--format", request->format,
        "safetensors: DIR/model.safetensors; diffusers: a transformer's folder, or the adapter's file, as diffusers loads it, and "
        "of a model that began from nothing a folder for `atelier generate` with that in it; "
        "peft, kohya: the adapter; merged: the transformer with the adapter added")
        ->check(CLI::IsMember({"safetensors", "diffusers", "peft", "kohya", "merged"}))->capture_default_str();
    exporting->add_option("--model", request->model, "For all but safetensors: the model's folder that the training began with")->type_name("DIR");
    exporting->add_option("--adapter", request->adapter, "Which of the adapters")->capture_default_str();
    exporting->add_option("--max-file-size", request->mostFileBytes, "More than that is parted into several files with an index: 5GB, 500MB")
        ->transform(CLI::AsSizeValue(true))->default_str("10GB");
    exporting->add_option("--prefix", request->prefix, "Before every tensor's name: transformer.");
    exporting->callback([set] { set(exportCheckpoint); });
}

}  // namespace app
