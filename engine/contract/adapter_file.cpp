#include "engine/contract/adapter_file.h"

#include "engine/contract/adapter_config.h"
#include "engine/contract/float_formats.h"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

namespace fs = std::filesystem;

fs::path adapterFileIn(const fs::path& path)
{
    if (!fs::is_directory(path))
        return path;
    for (const char* name : {"adapter_model.safetensors", "pytorch_lora_weights.safetensors"}) {
        if (fs::exists(path / name))
            return path / name;
    }
    throw std::runtime_error(path.string() + ": holds no adapter (looked for adapter_model.safetensors and pytorch_lora_weights.safetensors)");
}

std::optional<AdapterConfig> configOf(const AdapterNames& names, const SafetensorsSet& files)
{
    const fs::path beside = files.path().parent_path() / "adapter_config.json";
    if (names.form == AdapterForm::Peft && fs::exists(beside))
        return readAdapterConfig(JsonConfig(beside));
    return adapterConfigIn(files.items().begin()->second.file->metadata(), files.path());
}

class AdapterReader {
public:
    explicit AdapterReader(const AdapterFile& adapter)
        : m_adapter(adapter)
        , m_config(configOf(adapter.names, adapter.files))
    {
    }

    AdapterFile::Layer layer(const std::string& module) const
    {
        const SafetensorsTensor& a = tensor({module, AdapterPart::A});
        const SafetensorsTensor& b = tensor({module, AdapterPart::B});
        if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[0] < 1 || a.shape[0] != b.shape[1])
            fail(a, "and the B beside it are no matrices [rank, in] and [out, rank]");
        const std::int64_t rank = a.shape[0];
        if (m_adapter.names.tensors.contains({module, AdapterPart::Alpha}))
            return {module, rank, alpha(tensor({module, AdapterPart::Alpha})) / static_cast<double>(rank)};
        if (!m_config)
            return {module, rank, 1};
        AdapterConfig own = *m_config;
        own.rank = rank;  // whatever the patterns say, it is this
        own.rankPattern.clear();
        return {module, rank, own.scale(module)};
    }

private:
    const SafetensorsTensor& tensor(const AdapterTensor& part) const
    {
        const SafetensorsTensor& found = *m_adapter.files.find(m_adapter.names.tensors.at(part))->tensor;
        if (!isFloatDtype(found.dtype))
            fail(found, "is of " + found.dtype + ", no numbers with a fraction");
        return found;
    }
    double alpha(const SafetensorsTensor& stored) const
    {
        double bits = 0;  // room for the widest dtype
        float value = 0;
        if (stored.elements() != 1)
            fail(stored, "is no single number");
        m_adapter.files.find(stored.name)->file->read(stored, 0, &bits, stored.bytes());
        toFloats(stored.dtype, &bits, 1, &value);
        if (!std::isfinite(value))
            fail(stored, "is no finite number");
        return static_cast<double>(value);
    }
    [[noreturn]] void fail(const SafetensorsTensor& found, const std::string& what) const
    {
        throw std::runtime_error(m_adapter.files.path().string() + ": tensor " + shownName(found.name) + " " + what);
    }

    const AdapterFile& m_adapter;
    std::optional<AdapterConfig> m_config;
};

}  // namespace

AdapterFile readAdapter(const fs::path& path, const std::vector<std::string>& modules)
{
    AdapterFile adapter {SafetensorsSet(adapterFileIn(path)), {}, {}};
    std::vector<std::string> inFile;
    for (const auto& [name, item] : adapter.files.items())
        inFile.push_back(name);
    try {
        adapter.names = readAdapterNames(inFile, modules);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(adapter.files.path().string() + ": " + error.what());
    }
    const AdapterReader reader(adapter);
    for (const auto& [tensor, name] : adapter.names.tensors) {
        if (tensor.part == AdapterPart::A)
            adapter.layers.push_back(reader.layer(tensor.module));
    }
    return adapter;
}

}  // namespace contract
