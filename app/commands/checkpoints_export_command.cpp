// atelier checkpoints export
#include "app/cli/catalogue.h"
#include "app/cli/checks.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "app/cli/target_folder.h"
#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/export/run_export.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/signal_pipe.h"

#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace app {
namespace {

struct CheckpointExportRequest {
    std::string run;
    std::int64_t step = -1;  ///< negative: the latest
    std::string to;
    std::string weights = "model";
    std::string dtype = "stored";
    std::string format = "safetensors";
    std::string model;  ///< folder of the model from which the training started
    std::uint64_t maxFileBytes = contract::ExportFormat().maxFileBytes;
    std::string prefix;
    std::string adapter = "default";
    bool isOverwriting = false;
};

/// One file per line.
std::string listOf(const std::vector<std::filesystem::path>& files)
{
    std::string text;
    for (const std::filesystem::path& file : files)
        text += file.string() + "\n";
    return text;
}

ExitCode exportCheckpoint(const CheckpointExportRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    const auto steps = run.checkpointFolders();
    if (steps.empty())
        throw Failure("run " + run.id() + " has no checkpoints yet");
    const std::int64_t step = request.step < 0 ? contract::impliedCheckpoint(run).value_or(steps.back()) : request.step;
    const std::filesystem::path folder = run.checkpoint(step);
    const contract::CheckpointLock lock(folder, contract::CheckpointLock::Use::Read);
    static const std::map<std::string, std::string> dtypes = {{"stored", ""}, {"fp32", "F32"}, {"bf16", "BF16"}, {"fp16", "F16"}};
    try {
        const contract::CheckpointWeights trained(
            folder, request.weights == "ema" ? contract::ExportedWeights::Average : contract::ExportedWeights::Model);
        launcher::SignalPipe signals({SIGINT, SIGTERM, SIGHUP});
        const contract::RunExport wanted {.format = request.format, .model = request.model, .adapter = request.adapter,
            .file = {.dtype = dtypes.at(request.dtype), .maxFileBytes = request.maxFileBytes, .prefix = request.prefix,
                .isWanted = [&signals] { return !signals.wait(); }}};
        if (const std::string problem = contract::exportProblem(run, trained, wanted); !problem.empty())
            throw Failure("checkpoints export: " + problem, kWrongUsage);
        checkTargetFolder(request.to, request.isOverwriting);
        printText(listOf(contract::exportRun(run, trained, request.to, wanted)));
    } catch (const Failure&) {
        throw;
    } catch (const contract::ExportCancelled&) {
        throw Failure("the export was cancelled", kKilled);
    } catch (const std::exception& error) {
        throw Failure("export: " + contract::sentenceOf(error));
    }
    return kSuccess;
}

}  // namespace

void addCheckpointsExportCommand(CLI::App& checkpoints, Action& action)
{
    const auto request = std::make_shared<CheckpointExportRequest>();
    CLI::App* command = checkpoints.add_subcommand("export", "Write the full weights of a checkpoint for other programs");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest");
    command->add_option("--step", request->step, "Step of the checkpoint; the latest otherwise")
        ->check(wholeNumberFrom(0));
    command->add_option("--to", request->to, "Folder for the files")->required()->type_name("DIR");
    command->add_flag("--overwrite", request->isOverwriting, "Write to DIR even if it holds files; those of the same names are replaced");
    command->add_option("--weights", request->weights, "model: the trained weights; ema: their moving average")
        ->check(CLI::IsMember({"model", "ema"}))->capture_default_str();
    command->add_option("--dtype", request->dtype,
        "stored: as in the checkpoint; otherwise the weights are rounded to this dtype")
        ->check(CLI::IsMember({"stored", "fp32", "bf16", "fp16"}))->capture_default_str();
    command->add_option("--format", request->format,
        "safetensors: DIR/model.safetensors; diffusers: the transformer's folder or the adapter's file, as diffusers loads it, "
        "or for a model trained from scratch a pipeline folder for `atelier generate`; "
        "peft, kohya: the adapter; merged: the transformer with the adapter merged into its weights")
        ->check(CLI::IsMember({"safetensors", "diffusers", "peft", "kohya", "merged"}))->capture_default_str();
    command->add_option("--model", request->model, "Folder of the model from which the training started; for all but safetensors")
        ->type_name("DIR");
    command->add_option("--adapter", request->adapter, "Name of the adapter to export")->capture_default_str();
    command->add_option("--max-file-size", request->maxFileBytes,
        "Larger weights are split into several files with an index: 5GB, 500MB")
        ->transform(CLI::AsSizeValue(true))->default_str("10GB");
    command->add_option("--prefix", request->prefix, "Prefix for the name of every tensor, for example transformer.");
    command->callback([request, &action] {
        action = [request] {
            if (request->run.empty())
                throw Failure("checkpoints export: name a run, as in `atelier checkpoints export latest --to DIR`", kWrongUsage);
            return exportCheckpoint(*request);
        };
    });
}

}  // namespace app
