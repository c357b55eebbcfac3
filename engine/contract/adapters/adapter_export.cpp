#include "engine/contract/adapters/adapter_export.h"

#include "engine/contract/adapters/adapter_fusing.h"
#include "engine/contract/checkpoint/weights_export.h"
#include "engine/contract/formats/float_formats.h"
#include "engine/contract/formats/name_pattern.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

/// The matrix of a linear layer with an adapter merged into it, computed in consecutive ranges.
class MergedMatrix {
public:
    MergedMatrix(ExportedTensor base, const ExportedTensor& a, const ExportedTensor& b, double scale, std::string dtype)
        : m_base(std::move(base))
        , m_a(a)
        , m_b(b)
        , m_scale(static_cast<float>(scale))
        , m_dtype(std::move(dtype))
    {
    }

    void read(std::uint64_t begin, void* into, std::uint64_t bytes)
    {
        const std::uint64_t width = dtypeBytes(m_dtype), columns = static_cast<std::uint64_t>(m_base.tensor.shape[1]);
        const std::uint64_t first = begin / width, count = bytes / width;
        if (m_down.empty()) {
            m_down = floatsOf(m_a, 0, m_a.tensor.elements());
            m_up = floatsOf(m_b, 0, m_b.tensor.elements());
        }
        std::vector<float> values = floatsOf(m_base, first, count);
        for (std::uint64_t done = 0; done < count;) {
            const std::uint64_t row = (first + done) / columns, column = (first + done) % columns;
            const std::uint64_t now = std::min(columns - column, count - done);
            addToRow(row, column, std::span(values).subspan(done, now));
            done += now;
        }
        fromFloats(m_dtype, values.data(), count, into);
        if (first + count == m_base.tensor.elements()) {
            m_down = {};  // that was the last range: free the memory
            m_up = {};
        }
    }

private:
    void addToRow(std::uint64_t row, std::uint64_t column, std::span<float> values)
    {
        const auto rank = static_cast<std::uint64_t>(m_a.tensor.shape[0]), columns = static_cast<std::uint64_t>(m_a.tensor.shape[1]);
        m_sum.assign(values.size(), 0);
        for (std::uint64_t k = 0; k < rank; ++k) {
            const float factor = m_up[row * rank + k];
            const float* const down = m_down.data() + k * columns + column;
            for (std::size_t i = 0; i < m_sum.size(); ++i)
                m_sum[i] += factor * down[i];
        }
        for (std::size_t i = 0; i < m_sum.size(); ++i)
            values[i] += m_scale * m_sum[i];
    }

    ExportedTensor m_base;
    const ExportedTensor& m_a;
    const ExportedTensor& m_b;
    float m_scale;
    std::string m_dtype;
    std::vector<float> m_down, m_up, m_sum;
};

/// Paths of all modules that have parameters, directly or in submodules, except those in @p without.
std::vector<std::string> otherModules(const std::vector<std::string>& names, const std::vector<std::string>& without)
{
    std::set<std::string> modules;
    for (const std::string& name : names) {
        for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0; dot = name.rfind('.', dot - 1))
            modules.insert(name.substr(0, dot));
    }
    for (const std::string& module : without)
        modules.erase(module);
    return {modules.begin(), modules.end()};
}

std::vector<ExportedTensor> kohyaTensors(const TrainedAdapter& adapter, const std::vector<std::string>& names)
{
    const OriginalNames originals(otherModules(names, {}));
    std::map<std::string, OriginalLayer> layers;
    for (const std::string& module : adapter.modules()) {
        const OriginalLayer layer = originals.layerFor(module);
        layers.emplace(layer.name, layer);
    }
    std::vector<ExportedTensor> tensors;
    for (const auto& [name, layer] : layers)
        std::ranges::move(fusedAdapterTensors(adapter, layer), std::back_inserter(tensors));
    return tensors;
}

/// Returns the shortest decimal alpha with alpha / @p divisor == @p scale, to the last bit.
std::string alphaText(double scale, double divisor)
{
    const double product = scale * divisor;
    constexpr int kMostDigits = 17;
    for (int digits = 1; digits <= kMostDigits; ++digits) {
        char text[32];
        std::snprintf(text, sizeof text, "%.*g", digits, product);
        if (const auto alpha = parseReal(text); alpha && *alpha / divisor == scale)
            return shortestText(*alpha);
    }
    for (const double alpha : {std::nextafter(product, 0), std::nextafter(product, product * 2)}) {
        if (alpha / divisor == scale)
            return shortestText(alpha);
    }
    return shortestText(product);
}

}  // namespace

bool holdsAdapter(const CheckpointWeights& trained)
{
    return std::ranges::any_of(trained.tensors(), [](const ExportedTensor& each) { return each.tensor.name.find(".lora_A.") != std::string::npos; });
}

AdapterConfig adapterConfigOf(const CheckpointManifest& manifest)
{
    const auto alpha = manifest.modelOptions.find("lora.alpha");
    const auto value = alpha == manifest.modelOptions.end() ? std::nullopt : parseReal(alpha->second);
    if (!value)
        throw std::runtime_error("the checkpoint does not record lora.alpha, the alpha of its adapter");
    AdapterConfig config;
    config.alpha = *value;
    const auto rslora = manifest.modelOptions.find("lora.rslora");
    config.usesRslora = rslora != manifest.modelOptions.end() && rslora->second == "true";
    const auto pattern = manifest.modelOptions.find("lora.alpha_pattern");
    if (pattern == manifest.modelOptions.end())
        return config;
    for (const std::string_view entry : namePatterns(pattern->second)) {
        const std::size_t equals = entry.find('=');
        const auto own = equals == std::string_view::npos ? std::nullopt : parseReal(entry.substr(equals + 1));
        if (!own)
            throw std::runtime_error("the checkpoint's lora.alpha_pattern has no number in " + quotedName(entry));
        config.alphaPattern["^" + std::string(entry.substr(0, equals))] = *own;
    }
    return config;
}

std::map<std::string, std::string> adapterOptions(const std::vector<AdapterFile::Layer>& layers, bool usesRslora)
{
    const auto alphaOf = [usesRslora](const AdapterFile::Layer& layer) {
        const auto rank = static_cast<double>(layer.rank);
        return alphaText(layer.scale, usesRslora ? std::sqrt(rank) : rank);
    };
    std::map<std::string, std::string> options = {{"lora.rank", std::to_string(layers.at(0).rank)},
        {"lora.rslora", usesRslora ? "true" : "false"}, {"lora.alpha", alphaOf(layers.at(0))}};
    std::string pattern;
    for (const AdapterFile::Layer& layer : layers) {
        if (alphaOf(layer) != options["lora.alpha"])
            pattern += (pattern.empty() ? "" : ", ") + layer.module + "=" + alphaOf(layer);
    }
    if (!pattern.empty())
        options["lora.alpha_pattern"] = pattern;
    return options;
}

TrainedAdapter::TrainedAdapter(const CheckpointWeights& trained, const std::string& adapter, AdapterConfig config)
    : m_config(std::move(config))
{
    for (const ExportedTensor& each : trained.tensors()) {
        const std::string& name = each.tensor.name;
        const std::size_t at = std::min(name.find(".lora_A."), name.find(".lora_B."));
        if (at == std::string::npos)
            continue;
        const AdapterTensor matrix {name.substr(0, at), name[at + 6] == 'A' ? AdapterPart::A : AdapterPart::B};
        if (name == adapterParameter(matrix, adapter) && each.tensor.shape.size() == 2)
            m_matrices.emplace(matrix, &each);
    }
    const std::string where = trained.folder().string() + ": ";
    if (m_matrices.empty())
        throw std::runtime_error(where + "holds no adapter " + quotedName(adapter));
    for (const std::string& module : modules()) {
        if (!m_matrices.contains({module, AdapterPart::A}) || !m_matrices.contains({module, AdapterPart::B}))
            throw std::runtime_error(where + "holds only one of the two adapter matrices for " + module);
        const std::int64_t rank = m_matrices.at({module, AdapterPart::A})->tensor.shape[0];
        if (m_config.rank == 0)
            m_config.rank = rank;
        if (rank != m_config.rank)
            m_config.rankPattern["^" + module] = rank;
    }
}

std::vector<std::string> TrainedAdapter::modules() const
{
    std::vector<std::string> modules;
    for (const auto& [matrix, tensor] : m_matrices) {
        if (modules.empty() || modules.back() != matrix.module)
            modules.push_back(matrix.module);
    }
    return modules;
}

std::vector<fs::path> exportAdapter(const TrainedAdapter& adapter, const std::vector<std::string>& names, const fs::path& folder,
    AdapterForm form, const std::string& dtype)
{
    const auto modules = adapter.modules();
    ExportFormat format {.stem = form == AdapterForm::Peft ? "adapter_model" : "pytorch_lora_weights", .dtype = dtype};
    format.maxFileBytes = std::numeric_limits<std::uint64_t>::max();
    if (form == AdapterForm::Kohya)
        return writeWeights(folder, kohyaTensors(adapter, names), format);
    std::vector<ExportedTensor> tensors;
    for (const auto& [matrix, exported] : adapter.matrices()) {
        tensors.push_back(*exported);
        tensors.back().tensor.name = adapterTensorName(form, matrix);
    }
    const std::string prefix = form == AdapterForm::DiffusersPipeline ? "transformer." : "";
    const std::string config = adapterConfigText(adapter.config(), shortestTargets(modules, otherModules(names, modules)), prefix);
    if (form != AdapterForm::Peft)
        format.metadata[kAdapterMetadata] = config;
    auto files = writeWeights(folder, tensors, format);
    if (form == AdapterForm::Peft) {
        writeFileAtomically(folder / "adapter_config.json", config);
        files.push_back(folder / "adapter_config.json");
    }
    return files;
}

std::vector<ExportedTensor> withAdapter(const SafetensorsSet& base, const TrainedAdapter& adapter, const std::string& dtype)
{
    std::vector<ExportedTensor> tensors = withTrained(base, {});  // an adapter is trained alone, so no other tensor changes
    for (const std::string& module : adapter.modules()) {
        const ExportedTensor& a = *adapter.matrices().at({module, AdapterPart::A});
        const ExportedTensor& b = *adapter.matrices().at({module, AdapterPart::B});
        const std::string name = module + ".weight";
        const auto found = std::ranges::find_if(tensors, [&](const ExportedTensor& each) { return each.tensor.name == name; });
        const std::vector<std::int64_t> shape = {b.tensor.shape[0], a.tensor.shape[1]};
        if (found == tensors.end() || found->tensor.shape != shape || a.tensor.shape[0] != b.tensor.shape[1] || !isFloatDtype(found->tensor.dtype))
            throw std::runtime_error("the adapter for " + quotedName(module) + " does not fit the model in " + base.path().string());
        const std::string stored = base.find(name)->tensor->dtype;
        const bool isRounded = dtype.empty() && (stored == "F16" || stored == "BF16");
        const std::string as = isRounded ? stored : "F32";
        const auto merged = std::make_shared<MergedMatrix>(*found, a, b, adapter.config().scale(module), as);
        *found = {{name, as, shape}, [merged](std::uint64_t begin, void* into, std::uint64_t bytes) { merged->read(begin, into, bytes); }};
    }
    return tensors;
}

}  // namespace contract
