// atelier checkpoints diff
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_difference.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace app {
namespace {

using contract::TensorDifference;
using contract::ValueDifference;

struct DiffRequest {
    std::string run;
    std::string other;  ///< the run of the second checkpoint; empty: the same
    std::optional<std::int64_t> from, to;
    std::string weights = "model";
    std::size_t limit = 20;
    bool isByTensor = false;
    bool isJson = false;
};

enum class Otherwise { Oldest, Latest };

/// @param otherwise which one when no step was named
std::filesystem::path checkpointOf(const contract::RunFolder& run, std::optional<std::int64_t> step, Otherwise otherwise)
{
    const std::vector<std::int64_t> steps = run.checkpointFolders();
    if (steps.empty())
        throw Failure("run " + run.id() + " has no checkpoints yet");
    if (!step)
        step = otherwise == Otherwise::Oldest ? steps.front() : contract::impliedCheckpoint(run).value_or(steps.back());
    if (std::ranges::find(steps, *step) == steps.end())
        throw Failure("checkpoints diff: run " + run.id() + " has no checkpoint of step " + std::to_string(*step));
    return run.checkpoint(*step);
}

Json sumsJson(const ValueDifference& difference)
{
    return {{"values", difference.values}, {"changed", difference.changed}, {"not_finite", difference.notFinite}, {"largest", jsonNumber(difference.largest)},
        {"squared_difference", jsonNumber(difference.squaredDifference)}, {"squared_first", jsonNumber(difference.squaredFirst)}, {"rms", jsonNumber(difference.rms())}, {"relative", jsonNumber(difference.relative())}};
}

struct DiffRow {
    std::string name;
    std::string note;  ///< why there are no numbers; empty: there are
    ValueDifference difference;
};

std::vector<std::string> cellsOf(const DiffRow& row)
{
    if (!row.note.empty())
        return {printable(row.name), "", "", "", "", row.note};
    const ValueDifference& sums = row.difference;
    const double changed = sums.values == 0 ? 0 : static_cast<double>(sums.changed) / static_cast<double>(sums.values);
    return {printable(row.name), formatPercent(changed), formatNumber(sums.largest), formatNumber(sums.rms()), formatNumber(sums.relative()),
        sums.notFinite == 0 ? "" : formatCount(static_cast<std::int64_t>(sums.notFinite)) + " not finite"};
}

/// Of two models that have nothing to do with each other; empty otherwise.
std::string whyNothingIsCompared(const std::vector<TensorDifference>& tensors)
{
    const bool isAnyCompared = std::ranges::count(tensors, TensorDifference::Kind::Compared, &TensorDifference::kind) > 0;
    return isAnyCompared ? std::string() : "the checkpoints have no tensor of the same name and shape in common";
}

void printDifferences(const DiffRequest& request, const std::vector<TensorDifference>& tensors, const contract::CheckpointWeights& first, const contract::CheckpointWeights& second)
{
    std::vector<DiffRow> rows;
    ValueDifference all;
    for (const TensorDifference& tensor : tensors) {
        all.add(tensor.difference);
        if (request.isByTensor || tensor.kind != TensorDifference::Kind::Compared)
            rows.push_back({tensor.name, wordsOf(tensor.kind), tensor.difference});
    }
    if (!request.isByTensor) {
        for (const contract::LayerDifference& layer : byLayer(tensors))
            rows.push_back({layer.name, {}, layer.difference});
    }
    // What cannot be compared comes first, then what differs most.
    std::ranges::stable_sort(rows, std::ranges::greater(), [](const DiffRow& row) { return std::pair(!row.note.empty(), row.difference.relative()); });
    using enum Table::Align;
    Table table({{request.isByTensor ? "TENSOR" : "LAYER"}, {"CHANGED", Right}, {"LARGEST", Right}, {"RMS", Right}, {"RELATIVE", Right}, {""}});
    for (std::size_t i = 0; i < std::min(rows.size(), request.limit); ++i)
        table.addRow(cellsOf(rows[i]));
    table.addRow(cellsOf({"all", whyNothingIsCompared(tensors), all}));
    printText(first.folder().string() + " and " + second.folder().string() + ":\n" + table.text());
    if (rows.size() > request.limit)
        printText(formatCount(static_cast<std::int64_t>(rows.size() - request.limit)) + " rows with smaller differences are left out; --number shows more.\n");
}

ExitCode diff(const DiffRequest& request)
{
    if (request.run.empty())
        throw Failure("checkpoints diff: name a run, as in `atelier checkpoints diff latest`", kWrongUsage);
    const launcher::DataHome home = existingHome();
    const contract::RunFolder run = findRun(home, request.run);
    const contract::RunFolder otherRun = request.other.empty() ? run : findRun(home, request.other);
    const std::filesystem::path from = checkpointOf(run, request.from, request.other.empty() ? Otherwise::Oldest : Otherwise::Latest);
    const std::filesystem::path to = checkpointOf(otherRun, request.to, Otherwise::Latest);
    if (from == to)
        throw Failure("checkpoints diff: " + from.string() + " was compared with itself; name another step or run with --from, --to or --to-run", kWrongUsage);
    const contract::CheckpointLock fromLock(from, contract::CheckpointLock::Use::Read), toLock(to, contract::CheckpointLock::Use::Read);
    const auto weights = request.weights == "ema" ? contract::ExportedWeights::Average : contract::ExportedWeights::Model;
    try {
        const contract::CheckpointWeights first(from, weights), second(to, weights);
        const std::vector<TensorDifference> tensors = compareWeights(first, second);
        if (!request.isJson) {
            printDifferences(request, tensors, first, second);
            return kSuccess;
        }
        Json document = {{"first", from.string()}, {"second", to.string()}, {"tensors", Json::array()}, {"layers", Json::array()}};
        ValueDifference all;
        for (const TensorDifference& tensor : tensors) {
            all.add(tensor.difference);
            Json entry = {{"name", tensor.name}, {"shape", tensor.shape}, {"note", wordsOf(tensor.kind)}};
            entry.update(sumsJson(tensor.difference));
            document["tensors"].push_back(std::move(entry));
        }
        for (const contract::LayerDifference& layer : byLayer(tensors)) {
            Json entry = {{"name", layer.name}, {"tensors", layer.tensors}};
            entry.update(sumsJson(layer.difference));
            document["layers"].push_back(std::move(entry));
        }
        document["all"] = sumsJson(all);
        document["all"]["note"] = whyNothingIsCompared(tensors);
        printJson(document);
    } catch (const std::exception& error) {
        throw Failure("checkpoints diff: " + contract::sentenceOf(error));
    }
    return kSuccess;
}

}  // namespace

void addCheckpointsDiffCommand(CLI::App& checkpoints, Action& action)
{
    const auto request = std::make_shared<DiffRequest>();
    CLI::App* command = checkpoints.add_subcommand("diff", "Say how the weights of two checkpoints differ, by layer or tensor");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest");
    command->add_option("--from", request->from, "Step of the first checkpoint; the oldest otherwise, of two runs the latest")->type_name("STEP");
    command->add_option("--to", request->to, "Step of the second; the latest otherwise")->type_name("STEP");
    command->add_option("--to-run", request->other, "Run of the second; the same otherwise")->type_name("RUN");
    command->add_option("--weights", request->weights, "model: the trained weights; ema: their moving average")
        ->check(CLI::IsMember({"model", "ema"}))->capture_default_str();
    command->add_flag("--tensors", request->isByTensor, "Show every tensor, not layers");
    command->add_option("-n,--number", request->limit, "Number of rows, the largest differences first")->capture_default_str();
    command->add_flag("--json", request->isJson, "Print one JSON document, with all layers and tensors");
    command->footer("CHANGED: values that are not equal. LARGEST and RMS: of second minus first. RELATIVE: the norm of that, divided by the norm of the first.");
    command->callback([request, &action] { action = [request] { return diff(*request); }; });
}

}  // namespace app
