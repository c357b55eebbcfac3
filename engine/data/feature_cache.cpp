#include "engine/data/feature_cache.h"

#include "engine/contract/checksum.h"
#include "engine/contract/safetensors.h"

#include <ATen/ops/empty.h>

#include <stdexcept>

namespace engine {

namespace fs = std::filesystem;

FeatureCache::FeatureCache(fs::path folder)
    : m_folder(std::move(folder))
{
    fs::create_directories(m_folder);
}

std::string FeatureCache::keyOf(std::string_view content)
{
    contract::Checksum checksum;
    checksum.add(content.data(), content.size());
    return checksum.text();
}

/// A folder of its own for each first two digits: some file systems are slow with many files in one.
fs::path FeatureCache::fileOf(const std::string& key) const { return m_folder / key.substr(0, 2) / (key + ".safetensors"); }

bool FeatureCache::has(const std::string& key) const { return fs::exists(fileOf(key)); }

void FeatureCache::write(const std::string& key, const Tensors& tensors) const
{
    std::vector<contract::SafetensorsTensor> entries;
    for (const auto& [name, tensor] : tensors) {
        if (tensor.scalar_type() != at::kFloat && tensor.scalar_type() != at::kBFloat16)
            throw std::invalid_argument("FeatureCache: " + name + " is neither float32 nor bfloat16");
        entries.push_back({name, tensor.scalar_type() == at::kFloat ? "F32" : "BF16", tensor.sizes().vec()});
    }
    const fs::path file = fileOf(key);
    fs::create_directories(file.parent_path());
    contract::SafetensorsWriter writer(file, entries, {});
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor whole = tensor.contiguous();
        writer.write(whole.const_data_ptr(), whole.nbytes());
    }
    writer.finish();
}

FeatureCache::Tensors FeatureCache::read(const std::string& key) const
{
    const contract::SafetensorsFile file(fileOf(key));
    Tensors tensors;
    for (const auto& entry : file.tensors()) {
        if (entry.dtype != "F32" && entry.dtype != "BF16")
            throw std::runtime_error(file.path().string() + ": " + contract::shownName(entry.name) + " has a dtype that is never cached; remove the file");
        at::Tensor tensor = at::empty(entry.shape, entry.dtype == "F32" ? at::kFloat : at::kBFloat16);
        file.read(entry, 0, tensor.data_ptr(), entry.bytes());
        tensors.emplace(entry.name, std::move(tensor));
    }
    return tensors;
}

}  // namespace engine
