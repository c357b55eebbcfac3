#include "engine/contract/weights_export.h"

#include "engine/contract/checkpoint_manifest.h"
#include "engine/contract/input_file.h"
#include "engine/contract/run_folder.h"
#include "engine/contract/safetensors_set.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

/// Whole tensors out of the pieces of a checkpoint's files.
class CheckpointWeights {
public:
    CheckpointWeights(const fs::path& folder, ExportedWeights weights)
        : m_folder(folder)
        , m_manifest(readManifest(folder))
        , m_prefix(weights == ExportedWeights::Model ? "model/" : "ema/")
    {
        for (const TensorEntry& entry : m_manifest.tensors) {
            if (entry.name.starts_with(m_prefix))
                m_tensors.push_back({{entry.name.substr(m_prefix.size()), entry.dtype, entry.shape},
                    [this, &entry](std::uint64_t begin, void* into, std::uint64_t bytes) { read(entry, begin, into, bytes); }});
        }
        if (m_tensors.empty())
            throw std::runtime_error(folder.string() + ": holds no "
                + (weights == ExportedWeights::Model ? "weights" : "moving average of the weights; export the weights themselves"));
    }
    CheckpointWeights(const CheckpointWeights&) = delete;
    CheckpointWeights& operator=(const CheckpointWeights&) = delete;

    const CheckpointManifest& manifest() const { return m_manifest; }
    const std::vector<ExportedTensor>& tensors() const { return m_tensors; }  ///< valid as long as this object

private:
    void read(const TensorEntry& entry, std::uint64_t begin, void* into, std::uint64_t bytes)
    {
        const std::uint64_t width = dtypeBytes(entry.dtype);
        for (const TensorPiece& piece : entry.pieces) {
            const std::uint64_t from = std::max(begin, piece.begin * width);
            const std::uint64_t to = std::min(begin + bytes, (piece.begin + piece.count) * width);
            if (from >= to)
                continue;
            const InputFile& file = m_files.try_emplace(piece.file, m_folder / piece.file).first->second;
            file.read(static_cast<char*>(into) + (from - begin), to - from, piece.offset + (from - piece.begin * width));
        }
    }

    fs::path m_folder;
    CheckpointManifest m_manifest;
    std::string m_prefix;
    std::vector<ExportedTensor> m_tensors;
    std::map<std::string, InputFile> m_files;
};

ExportedTensor fromFile(const SafetensorsSet::Item& item)
{
    return {*item.tensor, [item](std::uint64_t begin, void* into, std::uint64_t bytes) { item.file->read(*item.tensor, begin, into, bytes); }};
}

/// The base's tensors, as trained where they were.
std::vector<ExportedTensor> merged(const SafetensorsSet& base, const CheckpointWeights& trained, const fs::path& checkpoint)
{
    std::map<std::string, ExportedTensor> tensors;
    for (const auto& [name, item] : base.items())
        tensors.emplace(name, fromFile(item));
    for (const ExportedTensor& tensor : trained.tensors()) {
        const auto found = tensors.find(tensor.tensor.name);
        if (found == tensors.end() || found->second.tensor.shape != tensor.tensor.shape)
            throw std::runtime_error(checkpoint.string() + ": its tensor " + shownName(tensor.tensor.name) + " is "
                + (found == tensors.end() ? "not in " : "of another shape in ") + base.path().string() + "; name the model that the training began with");
        found->second = tensor;
    }
    std::vector<ExportedTensor> result;
    for (auto& [name, tensor] : tensors)
        result.push_back(std::move(tensor));
    return result;
}

}  // namespace

std::vector<fs::path> exportWeights(const fs::path& checkpointFolder, const fs::path& folder, ExportedWeights weights, ExportFormat format)
{
    const CheckpointWeights trained(checkpointFolder, weights);
    format.metadata["model"] = trained.manifest().model;
    format.metadata["step"] = std::to_string(trained.manifest().step);
    return writeWeights(folder, trained.tensors(), format);
}

std::vector<fs::path> exportComponent(
    const fs::path& checkpointFolder, const fs::path& base, const fs::path& folder, ExportedWeights weights, ExportFormat format)
{
    const CheckpointWeights trained(checkpointFolder, weights);
    const SafetensorsSet files(base);
    const auto tensors = merged(files, trained, checkpointFolder);
    const InputFile configFile(base / "config.json");
    std::string config(configFile.bytes(), '\0');
    configFile.read(config.data(), config.size(), 0);
    auto written = writeWeights(folder, tensors, format);
    writeFileAtomically(folder / "config.json", config);
    return written;
}

}  // namespace contract
