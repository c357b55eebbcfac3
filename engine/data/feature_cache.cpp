#include "engine/data/feature_cache.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/safetensors.h"
#include "engine/contract/formats/safetensors_header.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace engine {

namespace fs = std::filesystem;

namespace {

constexpr char kChecksum[] = "checksum";  // metadata key: checksum of the values

std::vector<contract::SafetensorsTensor> entriesOf(const FeatureCache::Tensors& tensors)
{
    std::vector<contract::SafetensorsTensor> entries;
    for (const auto& [name, tensor] : tensors) {
        if (tensor.scalar_type() != at::kFloat && tensor.scalar_type() != at::kBFloat16)
            throw std::invalid_argument("FeatureCache: " + name + " is neither float32 nor bfloat16");
        entries.push_back({name, tensor.scalar_type() == at::kFloat ? "F32" : "BF16", tensor.sizes().vec()});
    }
    return entries;
}

std::string checksumOf(const FeatureCache::Tensors& tensors)
{
    contract::Checksum checksum;
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor values = tensor.contiguous();
        checksum.add(values.const_data_ptr(), values.nbytes());
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
            throw std::runtime_error(file.path().string() + ": " + contract::quotedName(entry.name) + " has dtype " + entry.dtype
                + "; only F32, F16 and BF16 are supported");
        at::Tensor tensor = at::empty(entry.shape, dtype->second);
        file.read(entry, 0, tensor.data_ptr(), entry.bytes());
        tensors.emplace(entry.name, std::move(tensor));
    }
    return tensors;
}

}  // namespace

struct FeatureCache::MemoryCache {
    std::mutex mutex;
    std::map<std::string, Tensors> tensors;
    std::uint64_t bytes = 0;
};

FeatureCache::FeatureCache(fs::path folder)
    : m_folder(std::move(folder))
    , m_memory(std::make_shared<MemoryCache>())
{
    fs::create_directories(m_folder);
}

std::string FeatureCache::keyOf(std::string_view content)
{
    contract::Checksum checksum;
    checksum.add(content.data(), content.size());
    return checksum.text();
}

/// Uses one subfolder per first two digits, because some file systems are slow with many files in one folder.
fs::path FeatureCache::fileOf(const std::string& key) const { return m_folder / key.substr(0, 2) / (key + ".safetensors"); }

bool FeatureCache::has(const std::string& key) const
{
    const fs::path file = fileOf(key);
    // A power failure may leave a file of zeros, without the header's first brace.
    constexpr std::size_t kBrace = contract::kLengthWordBytes;
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return false;
    const std::string beginning = contract::fileBeginning(file, kBrace + 1);
    return beginning.size() > kBrace && beginning[kBrace] == '{';
}

void FeatureCache::write(const std::string& key, const Tensors& tensors) const
{
    const auto entries = entriesOf(tensors);
    const fs::path file = fileOf(key);
    fs::create_directories(file.parent_path());
    contract::SafetensorsWriter writer(file, entries, {{kChecksum, checksumOf(tensors)}});
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor values = tensor.contiguous();
        writer.write(values.const_data_ptr(), values.nbytes());
    }
    writer.finish(contract::Durability::Process);
}

std::uint64_t FeatureCache::fileBytes(const Tensors& tensors)
{
    std::uint64_t bytes = contract::safetensorsHeader(entriesOf(tensors), {{kChecksum, std::string(kKeyLength, '0')}}).size();
    for (const auto& [name, tensor] : tensors)
        bytes += tensor.nbytes();
    return bytes;
}

FeatureCache::Tensors FeatureCache::read(const std::string& key, std::initializer_list<const char*> needed) const
{
    {
        const std::lock_guard lock(m_memory->mutex);
        if (const auto found = m_memory->tensors.find(key); found != m_memory->tensors.end())
            return found->second;
    }
    const contract::SafetensorsFile file(fileOf(key));
    Tensors tensors = tensorsOf(file);
    const auto written = file.metadata().find(kChecksum);
    const bool isWhole = std::ranges::all_of(needed, [&](const char* name) { return tensors.contains(name); });
    if (!isWhole || (written != file.metadata().end() && written->second != checksumOf(tensors)))
        throw std::runtime_error(file.path().string() + " is damaged; remove it");
    std::uint64_t bytes = 0;
    for (const auto& [name, tensor] : tensors)
        bytes += tensor.nbytes();
    const std::lock_guard lock(m_memory->mutex);
    if (m_memory->bytes + bytes <= kMostKept && m_memory->tensors.emplace(key, tensors).second)
        m_memory->bytes += bytes;
    return tensors;
}

FeatureCache::Tensors FeatureCache::tensorsIn(const fs::path& path) { return tensorsOf(contract::SafetensorsFile(path)); }

}  // namespace engine
