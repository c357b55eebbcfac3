#include "engine/data/feature_cache.h"

#include "engine/contract/checksum.h"
#include "engine/contract/file_content.h"
#include "engine/contract/safetensors.h"

#include <ATen/ops/empty.h>

#include <mutex>
#include <stdexcept>
#include <utility>

namespace engine {

namespace fs = std::filesystem;

namespace {

constexpr char kChecksum[] = "checksum";  // of the values, in a file's metadata

std::string checksumOf(const FeatureCache::Tensors& tensors)
{
    contract::Checksum checksum;
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor whole = tensor.contiguous();
        checksum.add(whole.const_data_ptr(), whole.nbytes());
    }
    return checksum.text();
}

FeatureCache::Tensors tensorsOf(const contract::SafetensorsFile& file)
{
    static const std::map<std::string, at::ScalarType> dtypes = {{"BF16", at::kBFloat16}, {"F16", at::kHalf}, {"F32", at::kFloat}};
    FeatureCache::Tensors tensors;
    for (const auto& entry : file.tensors()) {
        const auto dtype = dtypes.find(entry.dtype);
        if (dtype == dtypes.end())
            throw std::runtime_error(file.path().string() + ": " + contract::shownName(entry.name) + " is of dtype " + entry.dtype + "; F32, F16 and BF16 are read");
        at::Tensor tensor = at::empty(entry.shape, dtype->second);
        file.read(entry, 0, tensor.data_ptr(), entry.bytes());
        tensors.emplace(entry.name, std::move(tensor));
    }
    return tensors;
}

}  // namespace

struct FeatureCache::Kept {
    std::mutex mutex;
    std::map<std::string, Tensors> tensors;
    std::uint64_t bytes = 0;
};

FeatureCache::FeatureCache(fs::path folder)
    : m_folder(std::move(folder))
    , m_kept(std::make_shared<Kept>())
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

bool FeatureCache::has(const std::string& key) const
{
    const fs::path file = fileOf(key);
    // A power failure may leave a file of zeros, without the header's first brace.
    constexpr std::size_t kBrace = contract::kLengthWord;
    if (!fs::exists(file))
        return false;
    const std::string beginning = contract::fileBeginning(file, kBrace + 1);
    return beginning.size() > kBrace && beginning[kBrace] == '{';
}

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
    contract::SafetensorsWriter writer(file, entries, {{kChecksum, checksumOf(tensors)}});
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor whole = tensor.contiguous();
        writer.write(whole.const_data_ptr(), whole.nbytes());
    }
    writer.finish(contract::Durability::Process);
}

FeatureCache::Tensors FeatureCache::read(const std::string& key) const
{
    constexpr std::uint64_t kMostKeptBytes = std::uint64_t {1} << 28;
    {
        const std::lock_guard lock(m_kept->mutex);
        if (const auto found = m_kept->tensors.find(key); found != m_kept->tensors.end())
            return found->second;
    }
    const contract::SafetensorsFile file(fileOf(key));
    Tensors tensors = tensorsOf(file);
    if (const auto written = file.metadata().find(kChecksum); written != file.metadata().end() && written->second != checksumOf(tensors))
        throw std::runtime_error(file.path().string() + " is damaged; remove it");
    std::uint64_t bytes = 0;
    for (const auto& [name, tensor] : tensors)
        bytes += tensor.nbytes();
    const std::lock_guard lock(m_kept->mutex);
    if (m_kept->bytes + bytes <= kMostKeptBytes && m_kept->tensors.emplace(key, tensors).second)
        m_kept->bytes += bytes;
    return tensors;
}

FeatureCache::Tensors FeatureCache::tensorsIn(const fs::path& path) { return tensorsOf(contract::SafetensorsFile(path)); }

}  // namespace engine
