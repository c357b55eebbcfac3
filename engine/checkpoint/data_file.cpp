#include "engine/checkpoint/data_file.h"

#include "engine/comm/errors.h"

#include <ATen/ops/empty.h>

#include <exception>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

constexpr char kPrefix[] = "data-", kFormat[] = "format";

const char* nameOf(at::ScalarType dtype)
{
    switch (dtype) {
    case at::kFloat:
        return "F32";
    case at::kLong:
        return "I64";
    default:
        throw std::logic_error(std::string("no data of a rank is stored as ") + c10::toString(dtype));
    }
}

std::string described(const std::string& dtype, const std::vector<std::int64_t>& shape)
{
    std::string text = dtype + " [";
    for (const std::int64_t size : shape)
        text += (text.ends_with('[') ? "" : ", ") + std::to_string(size);
    return text + "]";
}

}  // namespace

std::string dataFileName(int dataRank) { return kPrefix + std::to_string(dataRank) + ".safetensors"; }

FileChecksums writeDataFile(const RankData& data, const std::filesystem::path& file)
{
    std::vector<contract::SafetensorsTensor> tensors;
    std::uint64_t bytes = 0;
    for (const auto& [name, tensor] : data.tensors) {
        tensors.push_back({name, nameOf(tensor.scalar_type()), tensor.sizes().vec()});
        bytes += tensors.back().bytes();
    }
    contract::SafetensorsMetadata metadata = data.facts;
    metadata[kFormat] = "atelier-data";
    const std::string header = contract::safetensorsHeader(tensors, metadata);
    ChecksummedFile output(file, header.size() + bytes);
    output.write(header.data(), header.size());
    for (const auto& [name, tensor] : data.tensors) {
        const at::Tensor values = tensor.contiguous();
        output.write(values.const_data_ptr(), values.nbytes());
    }
    return output.finish();
}

DataFiles::DataFiles(const std::filesystem::path& folder, contract::CheckpointManifest manifest)
    : m_folder(folder)
    , m_lock(folder, contract::CheckpointLock::Use::Read)
    , m_manifest(std::move(manifest))
{
    for (const auto& [name, bytes] : m_manifest.fileBytes) {
        if (!name.starts_with(kPrefix))
            continue;
        try {
            open(name);
        } catch (const std::exception& error) {
            refuse(firstLine(error));
        }
    }
}

void DataFiles::open(const std::string& name)
{
    contract::CheckpointFile& file = m_files.try_emplace(name, m_folder, m_manifest, name).first->second;
    const std::uint64_t bytes = m_manifest.fileBytes.at(name);
    std::uint64_t length = 0;
    if (bytes >= sizeof length)
        file.read(&length, sizeof length, 0);  // little-endian, as this machine is
    if (length == 0 || length > contract::kMaxHeaderBytes || length > bytes - sizeof length)
        throw std::runtime_error(name + " is not a safetensors file");
    std::string json(length, ' ');
    file.read(json.data(), length, sizeof length);
    contract::SafetensorsHeader header = contract::parseSafetensorsHeader(json, bytes);
    header.metadata.erase(kFormat);
    if (m_tensors.empty())
        m_facts = std::move(header.metadata);
    for (contract::SafetensorsTensor& tensor : header.tensors)
        m_tensors.try_emplace(tensor.name, Place {&file, name, tensor});
}

at::Tensor DataFiles::read(const std::string& name, at::ScalarType dtype, const std::vector<std::int64_t>& shape)
{
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        refuse("no file has its data " + contract::quotedName(name));
    const auto& [file, fileName, tensor] = found->second;
    if (tensor.dtype != nameOf(dtype) || tensor.shape != shape)
        refuse(contract::quotedName(name) + " in " + fileName + " is " + described(tensor.dtype, tensor.shape) + " instead of "
            + described(nameOf(dtype), shape));
    const at::Tensor values = at::empty(shape, dtype);
    try {
        file->read(values.data_ptr(), values.nbytes(), tensor.offset);
    } catch (const std::exception& error) {
        refuse(firstLine(error));
    }
    return values;
}

void DataFiles::refuse(const std::string& what) const
{
    throw EngineError(EngineError::Kind::BadCheckpoint, "checkpoint " + m_folder.string() + ": " + what + "; resume from another one");
}

}  // namespace engine
