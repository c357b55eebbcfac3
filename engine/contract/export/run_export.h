// Exports what a run has trained in the formats of other programs.
#pragma once
#include "engine/contract/checkpoint/checkpoint_weights.h"
#include "engine/contract/formats/sharded_export.h"
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Names of the formats. "safetensors": model.safetensors with the trained tensors. "diffusers": the transformer's folder, or the
/// adapter's file, as diffusers loads it; for a model trained from scratch a pipeline's folder. "peft", "kohya": the adapter.
/// "merged": the transformer with the adapter merged into its weights.
inline constexpr std::string_view kExportFormats[] = {"safetensors", "diffusers", "peft", "kohya", "merged"};

struct RunExport {
    std::string format = "safetensors";   ///< one of kExportFormats
    std::filesystem::path model = {};     ///< folder of the model from which the training started; empty: startModel()
    std::string adapter = "default";      ///< name of the adapter
    ExportFormat file = {};               ///< dtype, size and prefix; its stem is ignored
};

/// Whether the trained weights can be exported in this format: an adapter's formats need an adapter.
bool canExport(const CheckpointWeights& trained, std::string_view format);

/// The folder of the model from which the run's training started: its own description of a model from scratch, or the
/// experiment's model.folder. Empty when the experiment names none.
/// @throws std::runtime_error naming the last attempt's experiment when it cannot be read.
std::filesystem::path startModel(const RunFolder& run);

/// Why the request cannot be fulfilled, in one sentence: canExport() is false, or the format needs a model's folder and none is
/// known. Empty: it can. @throws std::runtime_error as startModel().
std::string exportProblem(const RunFolder& run, const CheckpointWeights& trained, const RunExport& request);

/// Writes the weights to @p folder, which is created. @p trained is of a checkpoint of @p run that the caller has locked.
/// @return the tensor files, without the index
/// @throws std::invalid_argument with exportProblem() unless it is empty.
/// @throws std::runtime_error in one sentence naming what is damaged, missing or cannot be written.
/// @throws ExportCancelled when ExportFormat::isWanted says so.
std::vector<std::filesystem::path> exportRun(
    const RunFolder& run, const CheckpointWeights& trained, const std::filesystem::path& folder, const RunExport& request);

}  // namespace contract
