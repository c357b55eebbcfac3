#include "engine/contract/checkpoint_manifest.h"

#include "engine/contract/checksum.h"
#include "engine/contract/run_folder.h"
#include "engine/contract/safetensors_header.h"
#include "engine/contract/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace contract {
namespace {

constexpr char kOwnChecksum[] = "checksum";  ///< of the manifest's text without this field

nlohmann::json toJson(const TensorEntry& tensor)
{
    auto pieces = nlohmann::json::array();
    for (const TensorPiece& piece : tensor.pieces)
        pieces.push_back({{"file", piece.file}, {"offset", piece.offset}, {"begin", piece.begin},
            {"count", piece.count}});
    return {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape},
        {"pieces", pieces}};
}

TensorEntry tensorFrom(const nlohmann::json& json)
{
    TensorEntry tensor;
    tensor.name = json.at("name").get<std::string>();
    tensor.dtype = json.at("dtype").get<std::string>();
    tensor.shape = json.at("shape").get<std::vector<std::int64_t>>();
    for (const auto& piece : json.at("pieces"))
        tensor.pieces.push_back({piece.at("file").get<std::string>(),
            piece.at("offset").get<std::uint64_t>(), piece.at("begin").get<std::uint64_t>(),
            piece.at("count").get<std::uint64_t>()});
    return tensor;
}

void checkTensor(const TensorEntry& tensor, const std::map<std::string, std::uint64_t>& fileBytes)
{
    const auto fail = [&](const std::string& what) {
        throw std::runtime_error("tensor " + tensor.name + " " + what);
    };
    const std::uint64_t width = dtypeBytes(tensor.dtype);
    if (width == 0)
        fail("has the unknown dtype " + tensor.dtype);
    std::uint64_t elements = 1;
    for (const std::int64_t size : tensor.shape) {
        if (size < 0 || static_cast<std::uint64_t>(size) > kMostElements
            || (size > 0 && elements > kMostElements / static_cast<std::uint64_t>(size)))
            fail("has an impossible shape");
        elements *= static_cast<std::uint64_t>(size);
    }
    std::uint64_t covered = 0;
    for (const TensorPiece& piece : tensor.pieces) {
        const auto file = fileBytes.find(piece.file);
        if (file == fileBytes.end())
            fail("refers to " + piece.file + ", which the manifest does not list");
        if (piece.begin != covered || piece.count > elements - covered)
            fail("has a gap or an overlap at element " + std::to_string(covered));
        if (piece.offset > file->second || piece.count > (file->second - piece.offset) / width)
            fail("reaches past the end of " + piece.file);
        covered += piece.count;
    }
    if (covered != elements)
        fail("lacks elements from " + std::to_string(covered) + " on");
}

CheckpointManifest manifestFrom(const nlohmann::json& json)
{
    if (json.at("v").get<int>() > kManifestVersion)
        throw std::runtime_error("written by a newer Atelier; update this one");
    CheckpointManifest manifest;
    manifest.run = json.at("run").get<std::string>();
    manifest.attempt = json.at("attempt").get<int>();
    manifest.step = json.at("step").get<std::int64_t>();
    manifest.unixMs = json.at("t_unix_ms").get<std::int64_t>();
    manifest.worldSize = json.at("world_size").get<int>();
    manifest.model = json.at("model").get<std::string>();
    manifest.modelOptions = json.at("model_options").get<std::map<std::string, std::string>>();
    for (const auto& [name, value] : json.at("metrics").items())
        manifest.metrics[name] = value.is_string()
            ? parseReal(value.get<std::string>()).value_or(std::numeric_limits<double>::quiet_NaN())
            : value.get<double>();
    manifest.state = json.at("state").get<std::map<std::string, std::string>>();
    manifest.fileBytes = json.at("files").get<std::map<std::string, std::uint64_t>>();
    if (const auto checksums = json.find("checksums"); checksums != json.end())
        manifest.checksums = checksums->get<std::map<std::string, std::string>>();
    for (const auto& tensor : json.at("tensors"))
        manifest.tensors.push_back(tensorFrom(tensor));
    return manifest;
}

std::string textOf(const nlohmann::json& json) { return json.dump(1) + "\n"; }

std::string checksumOfText(const nlohmann::json& json)
{
    const std::string text = textOf(json);
    Checksum checksum;
    checksum.add(text.data(), text.size());
    return checksum.text();
}

void checkOwnChecksum(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    auto json = nlohmann::json::parse(stream, nullptr, false);
    if (!json.contains(kOwnChecksum) && !json.contains("checksums"))
        return;  // of version 0.1
    const nlohmann::json expected = json.value(kOwnChecksum, nlohmann::json());
    json.erase(kOwnChecksum);
    if (expected != checksumOfText(json))
        throw std::runtime_error(file.string() + ": its checksum does not match, so it was changed or damaged");
}

}  // namespace

std::uint64_t TensorEntry::elements() const
{
    std::uint64_t product = 1;
    for (const std::int64_t size : shape)
        product *= static_cast<std::uint64_t>(size);
    return product;
}

std::uint64_t TensorEntry::bytes() const { return elements() * dtypeBytes(dtype); }

std::uint64_t CheckpointManifest::bytes() const
{
    std::uint64_t sum = 0;
    for (const auto& [file, size] : fileBytes)
        sum += size;
    return sum;
}

CheckpointManifest readManifest(const std::filesystem::path& checkpointFolder)
{
    const auto file = checkpointFolder / kManifestFile;
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw std::runtime_error(checkpointFolder.string() + ": not a checkpoint (no "
            + std::string(kManifestFile) + ")");
    try {
        CheckpointManifest manifest = manifestFrom(nlohmann::json::parse(stream));
        for (const auto& [name, size] : manifest.fileBytes) {
            if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
                throw std::runtime_error("lists the file name \"" + name + "\", which is not allowed");
            std::error_code error;
            const auto actual = std::filesystem::file_size(checkpointFolder / name, error);
            if (error)
                throw std::runtime_error(name + " is missing");
            if (actual != size)
                throw std::runtime_error(name + " has " + std::to_string(actual) + " bytes instead of "
                    + std::to_string(size));
        }
        for (const auto& [name, checksum] : manifest.checksums) {
            if (!manifest.fileBytes.contains(name))
                throw std::runtime_error("has a checksum of " + name + ", which it does not list");
        }
        for (const TensorEntry& tensor : manifest.tensors)
            checkTensor(tensor, manifest.fileBytes);
        return manifest;
    } catch (const std::exception& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
}

void verifyCheckpoint(const std::filesystem::path& checkpointFolder)
{
    const CheckpointManifest manifest = readManifest(checkpointFolder);
    checkOwnChecksum(checkpointFolder / kManifestFile);
    for (const auto& [name, expected] : manifest.checksums) {
        const auto file = checkpointFolder / name;
        if (checksumOf(file) != expected)
            throw std::runtime_error(file.string() + ": its checksum does not match, so its content is damaged");
    }
}

void writeManifest(const std::filesystem::path& checkpointFolder, const CheckpointManifest& manifest)
{
    nlohmann::json metrics = nlohmann::json::object();
    for (const auto& [name, value] : manifest.metrics) {
        if (std::isfinite(value))
            metrics[name] = value;
        else
            metrics[name] = shortestText(value);
    }
    auto tensors = nlohmann::json::array();
    for (const TensorEntry& tensor : manifest.tensors)
        tensors.push_back(toJson(tensor));
    nlohmann::json json = {{"v", kManifestVersion}, {"run", manifest.run},
        {"attempt", manifest.attempt}, {"step", manifest.step}, {"t_unix_ms", manifest.unixMs},
        {"world_size", manifest.worldSize}, {"model", manifest.model},
        {"model_options", manifest.modelOptions}, {"metrics", metrics}, {"state", manifest.state},
        {"files", manifest.fileBytes}, {"checksums", manifest.checksums}, {"tensors", tensors}};
    json[kOwnChecksum] = checksumOfText(json);
    writeFileAtomically(checkpointFolder / kManifestFile, textOf(json));
}

}  // namespace contract
