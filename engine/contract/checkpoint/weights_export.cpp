#include "engine/contract/checkpoint/weights_export.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/output_file.h"

#include <map>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxConfigBytes = 1 << 20;

ExportedTensor fromFile(const SafetensorsSet::Item& item)
{
    return {*item.tensor, [item](std::uint64_t begin, void* into, std::uint64_t bytes) { item.file->read(*item.tensor, begin, into, bytes); }};
}

}  // namespace

std::vector<ExportedTensor> withTrained(const SafetensorsSet& base, const std::vector<ExportedTensor>& trained)
{
    std::map<std::string, ExportedTensor> tensors;
    for (const auto& [name, item] : base.items())
        tensors.emplace(name, fromFile(item));
    for (const ExportedTensor& tensor : trained) {
        const auto found = tensors.find(tensor.tensor.name);
        if (found == tensors.end() || found->second.tensor.shape != tensor.tensor.shape)
            throw std::runtime_error("the checkpoint's tensor " + quotedName(tensor.tensor.name) + " is "
                + (found == tensors.end() ? "not in " : "of another shape in ") + base.path().string()
                + "; give the model that the training started from");
        found->second = tensor;
    }
    std::vector<ExportedTensor> result;
    for (auto& [name, tensor] : tensors)
        result.push_back(std::move(tensor));
    return result;
}

std::vector<fs::path> exportWeights(const CheckpointWeights& trained, const fs::path& folder, ExportFormat format)
{
    format.metadata["model"] = trained.manifest().model;
    format.metadata["step"] = std::to_string(trained.manifest().step);
    return writeWeights(folder, trained.tensors(), format);
}

std::vector<fs::path> exportComponent(
    const SafetensorsSet& base, const std::vector<ExportedTensor>& tensors, const fs::path& folder, const ExportFormat& format)
{
    const std::string config = fileContent(base.path().parent_path() / "config.json", kMaxConfigBytes);
    auto written = writeWeights(folder, tensors, format);
    writeFileAtomically(folder / "config.json", config);
    return written;
}

std::vector<fs::path> exportPipeline(
    const CheckpointWeights& trained, const fs::path& description, const fs::path& folder, const ExportFormat& format)
{
    const ModelFolder model(description);
    const SafetensorsSet tables(model.component("transformer"));
    std::vector<ExportedTensor> tensors = trained.tensors();
    for (const auto& [name, item] : tables.items())
        tensors.push_back(fromFile(item));
    fs::create_directories(folder / "transformer");
    fs::create_directories(folder / "scheduler");
    auto written = exportComponent(tables, tensors, folder / "transformer", format);
    for (const char* file : {"scheduler/scheduler_config.json", "model_index.json"})
        writeFileAtomically(folder / file, fileContent(description / file, kMaxConfigBytes));
    return written;
}

}  // namespace contract
