#include "engine/contract/export/run_export.h"

#include "engine/contract/adapters/adapter_export.h"
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/checkpoint/weights_export.h"
#include "engine/contract/formats/model_folder.h"

#include <map>
#include <stdexcept>

namespace contract {
namespace {

namespace fs = std::filesystem;

/// Whether the run trained a model of the engine's own, whose description lies in the run's folder.
bool isFromScratch(const CheckpointWeights& trained)
{
    return trained.manifest().model == "sd3";
}

/// The component of the model's folder that was trained.
std::string componentOf(const CheckpointManifest& manifest)
{
    const auto component = manifest.modelOptions.find("model.component");
    return component == manifest.modelOptions.end() ? "transformer" : component->second;
}

std::vector<fs::path> exportWithModel(
    const CheckpointWeights& trained, const fs::path& model, const fs::path& folder, const RunExport& request, const ExportFormat& file)
{
    if (isFromScratch(trained))
        return exportPipeline(trained, model, folder, file);
    const SafetensorsSet base(ModelFolder(model).component(componentOf(trained.manifest())));
    if (request.format == "diffusers" && !holdsAdapter(trained))
        return exportComponent(base, withTrained(base, trained.tensors()), folder, file);
    const TrainedAdapter adapter(trained, request.adapter, adapterConfigOf(trained.manifest()));
    if (request.format == "merged")
        return exportComponent(base, withAdapter(base, adapter, file.dtype), folder, file);
    std::vector<std::string> names;
    for (const auto& [name, item] : base.items())
        names.push_back(name);
    static const std::map<std::string, AdapterForm> forms = {
        {"diffusers", AdapterForm::DiffusersPipeline}, {"kohya", AdapterForm::Kohya}, {"peft", AdapterForm::Peft}};
    return exportAdapter(adapter, names, folder, forms.at(request.format), file.dtype);
}

}  // namespace

bool canExport(const CheckpointWeights& trained, std::string_view format)
{
    return format == "safetensors" || format == "diffusers" || holdsAdapter(trained);
}

fs::path startModel(const RunFolder& run)
{
    if (fs::is_directory(run.model()))
        return run.model();
    const auto attempts = run.attempts();
    return attempts.empty() ? fs::path() : fs::path(experimentOf(run, attempts.back()).text("model.folder"));
}

std::string exportProblem(const RunFolder& run, const CheckpointWeights& trained, const RunExport& request)
{
    if (!canExport(trained, request.format)) {
        const std::string what = isFromScratch(trained) ? "a model from scratch" : "the whole model, without a LoRA adapter";
        return "format " + request.format + ": the run trained " + what + "; use the format diffusers or safetensors";
    }
    if (request.format != "safetensors" && request.model.empty() && startModel(run).empty())
        return "format " + request.format + " needs --model, the folder of the model from which the training started";
    return {};
}

std::vector<fs::path> exportRun(const RunFolder& run, const CheckpointWeights& trained, const fs::path& folder, const RunExport& request)
{
    if (const std::string problem = exportProblem(run, trained, request); !problem.empty())
        throw std::invalid_argument(problem);
    ExportFormat file = request.file;
    file.stem = request.format == "safetensors" ? "model" : ExportFormat().stem;
    fs::create_directories(folder);
    if (request.format == "safetensors")
        return exportWeights(trained, folder, file);
    return exportWithModel(trained, request.model.empty() ? startModel(run) : request.model, folder, request, file);
}

}  // namespace contract
