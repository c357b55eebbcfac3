// atelier checkpoints tensors
#include "app/cli/catalogue.h"
#include "app/cli/checks.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace app {
namespace {

struct TensorsRequest {
    std::string run;
    std::string text;  ///< in the names; empty: all
    std::optional<std::int64_t> step;
    bool isJson = false;
};

/// "768 × 64", or "scalar".
std::string shapeWords(const std::vector<std::int64_t>& shape)
{
    std::string text;
    for (const std::int64_t size : shape)
        text += (text.empty() ? "" : " × ") + std::to_string(size);
    return text.empty() ? "scalar" : text;
}

ExitCode tensors(const TensorsRequest& request)
{
    if (request.run.empty())
        throw Failure("checkpoints tensors: name a run, as in `atelier checkpoints tensors latest`", kWrongUsage);
    const contract::RunFolder run = findRun(existingHome(), request.run);
    const std::vector<std::int64_t> steps = run.checkpointFolders();
    if (steps.empty())
        throw Failure("run " + run.id() + " has no checkpoints yet");
    const std::int64_t step = request.step ? *request.step : contract::impliedCheckpoint(run).value_or(steps.back());
    if (std::ranges::find(steps, step) == steps.end())
        throw Failure("run " + run.id() + " has no checkpoint of step " + std::to_string(step));
    const contract::CheckpointLock lock(run.checkpoint(step), contract::CheckpointLock::Use::Read);
    contract::CheckpointManifest manifest;
    try {
        manifest = contract::readManifest(run.checkpoint(step));
    } catch (const std::exception& error) {
        throw Failure("checkpoints tensors: " + contract::sentenceOf(error));
    }
    std::erase_if(manifest.tensors, [&](const contract::TensorEntry& tensor) { return tensor.name.find(request.text) == std::string::npos; });
    using enum Table::Align;
    Table table({{"TENSOR"}, {"SHAPE", Right}, {"TYPE"}, {"ELEMENTS", Right}, {"BYTES", Right}});
    Json list = Json::array();
    for (const contract::TensorEntry& tensor : manifest.tensors) {
        if (request.isJson)
            list.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"dtype", tensor.dtype}, {"elements", tensor.elements()}, {"bytes", tensor.bytes()},
                {"pieces", tensor.pieces.size()}});
        else
            table.addRow({printable(tensor.name), shapeWords(tensor.shape), printable(tensor.dtype), formatCount(static_cast<std::int64_t>(tensor.elements())),
                formatBytes(tensor.bytes())});
    }
    if (request.isJson)
        printJson({{"run", run.id()}, {"step", step}, {"folder", run.checkpoint(step).string()}, {"tensors", list}});
    else
        printText(table.isEmpty() ? "The checkpoint of step " + std::to_string(step) + " has no such tensors.\n" : table.text());
    return kSuccess;
}

}  // namespace

void addCheckpointsTensorsCommand(CLI::App& checkpoints, Action& action)
{
    const auto request = std::make_shared<TensorsRequest>();
    CLI::App* command = checkpoints.add_subcommand("tensors", "List the tensors of a checkpoint: weights, their moving averages and the optimizer's states");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest");
    command->add_option("--step", request->step, "Step of the checkpoint; the latest otherwise")->check(wholeNumberFrom(0));
    command->add_option("--text", request->text, "Only those whose name contains this text");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return tensors(*request); }; });
}

}  // namespace app
