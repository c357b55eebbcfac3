#include "engine/contract/adapters/adapter_file.h"

#include "engine/contract/adapters/adapter_config.h"
#include "engine/contract/formats/float_formats.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_config.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

fs::path adapterFileIn(const fs::path& path)
{
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        return path;
    for (const char* name : {"adapter_model.safetensors", "pytorch_lora_weights.safetensors"}) {
        if (hasEntry(path / name))
            return path / name;
    }
    throw std::runtime_error(path.string() + ": holds no adapter (looked for adapter_model.safetensors and pytorch_lora_weights.safetensors)");
}

std::optional<AdapterConfig> configOf(const AdapterNames& names, const SafetensorsSet& files)
{
    const fs::path configFile = files.path().parent_path() / "adapter_config.json";
    if (names.form == AdapterForm::Peft && hasEntry(configFile))
        return readAdapterConfig(JsonConfig(configFile));
    return adapterConfigIn(files.items().begin()->second.file->metadata(), files.path());
}

/// Returns the model that an adapter says it was made for, or that has layers of such names; empty when that is unknown.
std::string modelNamedBy(const SafetensorsSet& files, const std::vector<std::string>& names)
{
    if (const fs::path file = files.path().parent_path() / "adapter_config.json"; hasEntry(file)) {
        const JsonConfig config(file);
        if (config.has("base_model_name_or_path"))
            return quotedName(config.text("base_model_name_or_path"));
    }
    if (names.empty())
        return {};
    const auto& metadata = files.items().begin()->second.file->metadata();
    for (const char* key : {"modelspec.architecture", "ss_base_model_version"}) {
        if (const auto found = metadata.find(key); found != metadata.end())
            return quotedName(found->second);
    }
    // Parts of the names of layers that only one kind of model has, in the form of diffusers and in that of the model's authors.
    constexpr const char* kUNet = "a Stable Diffusion with a U-Net (1, 2 or XL)";
    constexpr std::pair<std::string_view, const char*> kKinds[] = {{"down_blocks", kUNet}, {"up_blocks", kUNet}, {"input_blocks", kUNet},
        {"output_blocks", kUNet}, {"single_transformer_blocks", "FLUX.1"}, {"single_blocks", "FLUX.1"}, {"double_blocks", "FLUX.1"},
        {"img_mlp", "Qwen-Image"}, {"txt_mlp", "Qwen-Image"}, {"joint_blocks", "Stable Diffusion 3"}, {"ff_context", "Stable Diffusion 3"},
        {"attn2", "Wan"}, {"cross_attn", "Wan"}};
    for (const auto& [part, model] : kKinds) {
        if (std::ranges::any_of(names, [part](const std::string& name) { return name.find(part) != std::string::npos; }))
            return model;
    }
    return {};
}

class AdapterReader {
public:
    explicit AdapterReader(const AdapterFile& adapter)
        : m_adapter(adapter)
        , m_config(configOf(adapter.names, adapter.files))
    {
    }

    /// Where the matrices A and B of @p module are in the file.
    std::pair<MatrixWindow, MatrixWindow> windows(const std::string& module)
    {
        const SafetensorsTensor& a = tensor({module, AdapterPart::A});
        const SafetensorsTensor& b = tensor({module, AdapterPart::B});
        if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[0] < 1 || a.shape[0] != b.shape[1])
            fail(a, "and its B are not matrices of shape [rank, in] and [out, rank]");
        MatrixWindow down {a.name, 0, a.shape[0], 0, a.shape[1]}, up {b.name, 0, b.shape[0], 0, b.shape[1]};
        const auto fused = m_adapter.names.fused.find(module);
        if (fused == m_adapter.names.fused.end())
            return {down, up};
        const OriginalLayer& layer = fused->second;
        up.swapsHalves = layer.swapsHalves;
        if (layer.parts.size() == 1)
            return {down, up};
        const std::vector<std::int64_t> rows = rowsOfParts(layer, b);
        const auto part = static_cast<std::size_t>(std::ranges::find(layer.parts, module) - layer.parts.begin());
        up.firstRow = std::accumulate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(part), std::int64_t {0});
        up.rows = rows[part];
        if (isBlockDiagonal(b, rows)) {
            down.rows = up.columns = a.shape[0] / static_cast<std::int64_t>(rows.size());
            down.firstRow = up.firstColumn = static_cast<std::int64_t>(part) * down.rows;
        }
        return {down, up};
    }

    /// Whether @p module is a part of a fused layer that has no adapter of its own: its rows of A are all zero.
    bool hasNoAdapter(const std::string& module, const MatrixWindow& down) const
    {
        const SafetensorsTensor& a = tensor({module, AdapterPart::A});
        return down.rows < a.shape[0] && std::ranges::all_of(floatsIn(a, down.firstRow, down.rows), [](float value) { return value == 0; });
    }

    double scale(const std::string& module) const
    {
        const std::int64_t rank = tensor({module, AdapterPart::A}).shape[0];
        if (m_adapter.names.tensors.contains({module, AdapterPart::Alpha}))
            return alpha(tensor({module, AdapterPart::Alpha})) / static_cast<double>(rank);
        if (!m_config)
            return 1;
        AdapterConfig own = *m_config;
        own.rank = rank;  // the matrices determine the rank, whatever rank_pattern says
        own.rankPattern.clear();
        return own.scale(module);
    }

private:
    std::vector<std::int64_t> rowsOfParts(const OriginalLayer& layer, const SafetensorsTensor& b) const
    {
        const std::int64_t shares = std::accumulate(layer.shares.begin(), layer.shares.end(), std::int64_t {0});
        if (b.shape[0] % shares != 0)
            fail(b, "has " + std::to_string(b.shape[0]) + " rows, which cannot be divided among " + std::to_string(layer.parts.size()) + " layers");
        std::vector<std::int64_t> rows;
        for (const std::int64_t share : layer.shares)
            rows.push_back(b.shape[0] / shares * share);
        return rows;
    }

    std::vector<float> floatsIn(const SafetensorsTensor& matrix, std::int64_t firstRow, std::int64_t rows) const
    {
        const std::uint64_t width = dtypeBytes(matrix.dtype), columns = static_cast<std::uint64_t>(matrix.shape[1]);
        std::vector<char> stored(static_cast<std::uint64_t>(rows) * columns * width);
        m_adapter.files.find(matrix.name)->file->read(matrix, static_cast<std::uint64_t>(firstRow) * columns * width, stored.data(), stored.size());
        std::vector<float> values(stored.size() / width);
        toFloats(matrix.dtype, stored.data(), values.size(), values.data());
        return values;
    }

    /// Whether each part owns the same number of columns of B and is zero in the columns of the others.
    bool isBlockDiagonal(const SafetensorsTensor& b, const std::vector<std::int64_t>& rows)
    {
        const auto [known, isNew] = m_isBlockDiagonal.try_emplace(b.name, false);
        const auto parts = static_cast<std::int64_t>(rows.size());
        if (!isNew || b.shape[1] % parts != 0)
            return known->second;
        const std::vector<float> values = floatsIn(b, 0, b.shape[0]);
        const auto rank = static_cast<std::size_t>(b.shape[1] / parts);
        auto at = values.begin();
        known->second = true;
        for (std::size_t part = 0; part < rows.size(); ++part) {
            for (std::int64_t row = 0; row < rows[part]; ++row) {
                for (std::size_t column = 0; column < static_cast<std::size_t>(b.shape[1]); ++column, ++at)
                    known->second &= *at == 0 || column / rank == part;
            }
        }
        return known->second;
    }

    const SafetensorsTensor& tensor(const AdapterTensor& part) const
    {
        const SafetensorsTensor& found = *m_adapter.files.find(m_adapter.names.tensors.at(part))->tensor;
        if (!isFloatDtype(found.dtype))
            fail(found, "is of dtype " + found.dtype + ", which is not a floating-point dtype");
        return found;
    }
    double alpha(const SafetensorsTensor& stored) const
    {
        double value = 0;  // as large as the widest dtype
        if (stored.elements() != 1)
            fail(stored, "is not a single number");
        m_adapter.files.find(stored.name)->file->read(stored, 0, &value, stored.bytes());
        if (stored.dtype != "F64") {
            float narrow = 0;
            toFloats(stored.dtype, &value, 1, &narrow);
            value = static_cast<double>(narrow);
        }
        if (!std::isfinite(value))
            fail(stored, "is not a finite number");
        return value;
    }
    [[noreturn]] void fail(const SafetensorsTensor& found, const std::string& what) const
    {
        throw std::runtime_error(m_adapter.files.path().string() + ": tensor " + quotedName(found.name) + " " + what);
    }

    const AdapterFile& m_adapter;
    std::optional<AdapterConfig> m_config;
    std::map<std::string, bool> m_isBlockDiagonal;  ///< by the name of a fused B
};

}  // namespace

SafetensorsSet openAdapter(const fs::path& path) { return SafetensorsSet(adapterFileIn(path)); }

AdapterFile readAdapter(const fs::path& path, const std::vector<std::string>& modules)
{
    AdapterFile adapter {openAdapter(path), {}, {}, {}};
    std::vector<std::string> namesInFile;
    for (const auto& [name, item] : adapter.files.items())
        namesInFile.push_back(name);
    try {
        adapter.names = readAdapterNames(namesInFile, modules);
    } catch (const std::runtime_error& error) {
        const std::string model = modelNamedBy(adapter.files, namesInFile);
        throw std::runtime_error(adapter.files.path().string() + ": " + error.what()
            + (model.empty() ? "" : "; it was made for " + model));
    }
    AdapterReader reader(adapter);
    for (const auto& [tensor, name] : adapter.names.tensors) {
        if (tensor.part != AdapterPart::A)
            continue;
        const auto [down, up] = reader.windows(tensor.module);
        if (reader.hasNoAdapter(tensor.module, down))
            continue;
        adapter.layers.push_back({tensor.module, down.rows, reader.scale(tensor.module)});
        adapter.matrices[{tensor.module, AdapterPart::A}] = down;
        adapter.matrices[{tensor.module, AdapterPart::B}] = up;
    }
    return adapter;
}

}  // namespace contract
