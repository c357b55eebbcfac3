#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include "engine/contract/checkpoint/damage_mark.h"
#include "engine/contract/checkpoint/manifest_copy.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace contract {
namespace {

constexpr char kOwnChecksum[] = "checksum";  ///< key of the checksum of the manifest's text without this key's line
constexpr std::uint64_t kMaxManifestBytes = std::uint64_t {1} << 28;
constexpr std::uint64_t kMaxBlockBytes = std::uint64_t {1} << 26;
constexpr std::size_t kDigits = 16;  ///< of a block's checksum

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
        if (size < 0 || static_cast<std::uint64_t>(size) > kMaxElements
            || (size > 0 && elements > kMaxElements / static_cast<std::uint64_t>(size)))
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

std::string digitsOf(const std::vector<std::uint64_t>& checksums)
{
    std::string digits(checksums.size() * kDigits, '0');
    for (std::size_t i = 0; i < checksums.size(); ++i) {
        char* const end = digits.data() + (i + 1) * kDigits;
        for (std::uint64_t rest = checksums[i], place = 1; rest != 0; rest >>= 4, ++place)
            *(end - place) = "0123456789abcdef"[rest & 15];
    }
    return digits;
}

std::vector<std::uint64_t> checksumsOf(const std::string& digits)
{
    if (digits.size() % kDigits != 0)
        throw std::runtime_error("has a malformed checksum of a block");
    std::vector<std::uint64_t> checksums(digits.size() / kDigits);
    for (std::size_t i = 0; i < checksums.size(); ++i) {
        const char* const begin = digits.data() + i * kDigits;
        const auto [end, error] = std::from_chars(begin, begin + kDigits, checksums[i], 16);
        if (error != std::errc() || end != begin + kDigits)
            throw std::runtime_error("has a malformed checksum of a block");
    }
    return checksums;
}

void checkBlocks(const CheckpointManifest& manifest)
{
    for (const auto& [name, checksums] : manifest.blocks) {
        const auto file = manifest.fileBytes.find(name);
        if (file == manifest.fileBytes.end())
            throw std::runtime_error("has checksums for the blocks of " + name + ", which it does not list");
        const bool isSizeRight = manifest.blockBytes > 0 && manifest.blockBytes <= kMaxBlockBytes;
        const std::uint64_t expected = isSizeRight ? (file->second + manifest.blockBytes - 1) / manifest.blockBytes : 0;
        if (!isSizeRight || checksums.size() != expected)
            throw std::runtime_error("has " + std::to_string(checksums.size()) + " checksums for the blocks of " + name
                + " instead of " + std::to_string(expected));
    }
}

CheckpointManifest manifestFrom(const nlohmann::json& json)
{
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
    if (const auto blocks = json.find("blocks"); blocks != json.end()) {
        manifest.blockBytes = blocks->at("bytes").get<std::uint64_t>();
        for (const auto& [name, digits] : blocks->at("checksums").items())
            manifest.blocks[name] = checksumsOf(digits.get<std::string>());
    }
    for (const auto& tensor : json.at("tensors"))
        manifest.tensors.push_back(tensorFrom(tensor));
    return manifest;
}

std::string textOf(const nlohmann::json& json) { return json.dump(1) + "\n"; }

std::string checksumOfText(const std::string& text)
{
    Checksum checksum;
    checksum.add(text.data(), text.size());
    return checksum.text();
}

/// @param text the manifest's text, in which the checksum stands on a line of its own as textOf() writes it
void checkOwnChecksum(const nlohmann::json& json, std::string text)
{
    if (!json.contains(kOwnChecksum) && !json.contains("checksums"))
        return;  // version 0.1 wrote no checksums
    const std::string start = "\n \"" + std::string(kOwnChecksum) + "\": ";
    const std::size_t line = text.find(start);
    const std::size_t end = line == std::string::npos ? line : text.find('\n', line + 1);
    if (end != std::string::npos)
        text.erase(line, end - line);
    const auto expected = json.find(kOwnChecksum);
    if (end == std::string::npos || expected == json.end() || *expected != checksumOfText(text))
        throw std::runtime_error("its checksum does not match, so it was changed or damaged");
}

/// A message that quotes the manifest, fit to be shown.
std::string readable(std::string_view message)
{
    constexpr std::size_t kMaxBytes = 500;
    return escapedBytes(shortened(message, kMaxBytes));
}

/// The message of nlohmann::json without its error number, or where the text stops being JSON.
std::string jsonProblem(const nlohmann::json::exception& error)
{
    std::string message = error.what();
    if (const auto* syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error))
        message = "not valid JSON (at byte " + std::to_string(syntax->byte) + ")";
    else if (const std::size_t end = message.find("] "); message.starts_with('[') && end != std::string::npos)
        message.erase(0, end + 2);
    return "is damaged or not the manifest of a checkpoint: " + message;
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

bool isWeightsKind(std::string_view kind) { return kind == "model" || kind == "ema"; }

namespace {

enum class ListedFiles { Checked, Elsewhere };

CheckpointManifest readListing(const std::filesystem::path& checkpointFolder, ListedFiles files)
{
    const auto file = checkpointFolder / kManifestFile;
    std::error_code unreadable;
    if (!std::filesystem::exists(file, unreadable))
        throw std::runtime_error(checkpointFolder.string() + ": not a checkpoint (no "
            + std::string(kManifestFile) + ")");
    std::string text = fileContent(file, kMaxManifestBytes);
    try {
        const auto json = parsedJson(text);
        if (json.at("v").get<int>() > kManifestVersion)
            throw std::runtime_error("written by a newer Atelier; update this one");
        checkOwnChecksum(json, std::move(text));
        CheckpointManifest manifest = manifestFrom(json);
        for (const auto& [name, size] : manifest.fileBytes) {
            if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
                throw std::runtime_error("lists the file name " + quotedText(name) + ", which is not allowed");
            if (files == ListedFiles::Elsewhere)
                continue;
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
                throw std::runtime_error("has a checksum for the file " + name + ", which it does not list");
        }
        checkBlocks(manifest);
        for (const TensorEntry& tensor : manifest.tensors)
            checkTensor(tensor, manifest.fileBytes);
        return manifest;
    } catch (const nlohmann::json::exception& error) {
        throw std::runtime_error(file.string() + ": " + readable(jsonProblem(error)));
    } catch (const std::exception& error) {
        throw std::runtime_error(file.string() + ": " + readable(error.what()));
    }
}

void refuseMarked(const std::filesystem::path& checkpointFolder)
{
    if (const std::string damage = damageMark(checkpointFolder); !damage.empty())
        throw std::runtime_error(checkpointFolder.string() + "/" + damage);
}

}  // namespace

CheckpointManifest readManifest(const std::filesystem::path& checkpointFolder)
{
    CheckpointManifest manifest = readListing(checkpointFolder, ListedFiles::Checked);
    refuseMarked(checkpointFolder);
    return manifest;
}

CheckpointManifest readManifestCopy(const std::filesystem::path& checkpointFolder)
{
    CheckpointManifest manifest = readListing(checkpointFolder, ListedFiles::Elsewhere);
    refuseMarked(checkpointFolder);
    return manifest;
}

void verifyCheckpoint(const std::filesystem::path& checkpointFolder, const std::function<bool()>& isWanted)
{
    const CheckpointManifest manifest = readListing(checkpointFolder, ListedFiles::Checked);
    for (const auto& [name, expected] : manifest.checksums) {
        const auto file = checkpointFolder / name;
        const std::string found = checksumOf(file, isWanted);
        if (isWanted && !isWanted())
            return;
        if (found != expected) {
            const std::string damage = ": its checksum does not match, so its content is damaged";
            markDamaged(checkpointFolder, name + damage);
            throw std::runtime_error(file.string() + damage);
        }
    }
    removeDamageMark(checkpointFolder);
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
    if (!manifest.blocks.empty()) {
        nlohmann::json checksums = nlohmann::json::object();
        for (const auto& [name, blocks] : manifest.blocks)
            checksums[name] = digitsOf(blocks);
        json["blocks"] = {{"bytes", manifest.blockBytes}, {"checksums", checksums}};
    }
    json[kOwnChecksum] = checksumOfText(textOf(json));
    writeFileAtomically(checkpointFolder / kManifestFile, textOf(json));
}

}  // namespace contract
