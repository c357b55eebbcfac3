#include "engine/contract/run/data_manifest.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace contract {
namespace {

using nlohmann::json;
using Use = DataEntry::Use;

constexpr int kVersion = 1;
constexpr std::uint64_t kMaxBytes = std::uint64_t {1} << 30;
constexpr std::size_t kMaxLineBytes = std::size_t {1} << 20;
constexpr std::int64_t kMaxPixels = 1'000'000;     // of a side
constexpr std::int64_t kMaxCount = 1'000'000'000;  // frames, repeats, entries

constexpr std::array kUses = {Use::Training, Use::Validation, Use::Prior, Use::LeftOut};

void appendText(std::string& line, const char* key, const std::string& value)
{
    if (value.empty())
        return;
    line += std::string(",\"") + key + "\":";
    appendJsonString(line, value);
}

void appendNumber(std::string& line, const char* key, std::int64_t value, std::int64_t usual)
{
    if (value != usual)
        line += std::string(",\"") + key + "\":" + std::to_string(value);
}

std::string lineOf(const DataEntry& entry)
{
    std::string line = "{\"file\":";
    appendJsonString(line, entry.file);
    line += std::string(",\"use\":\"") + useName(entry.use) + "\"";
    appendText(line, "caption", entry.caption);
    appendText(line, "reason", entry.reason);
    appendNumber(line, "width", entry.width, 0);
    appendNumber(line, "height", entry.height, 0);
    if (entry.bucketWidth > 0)
        line += ",\"bucket\":[" + std::to_string(entry.bucketWidth) + "," + std::to_string(entry.bucketHeight) + "]";
    if (entry.tile.width > 0)
        line += ",\"tile\":[" + std::to_string(entry.tile.left) + "," + std::to_string(entry.tile.top) + "," + std::to_string(entry.tile.width)
            + "," + std::to_string(entry.tile.height) + "]";
    appendNumber(line, "frames", entry.frames, 1);
    appendNumber(line, "repeats", entry.repeats, 1);
    appendText(line, "mask", entry.mask);
    appendText(line, "poster", entry.poster);
    if (entry.isAlphaMask)
        line += ",\"alpha_mask\":true";
    if (entry.isPrecomputed)
        line += ",\"precomputed\":true";
    return line + "}\n";
}

/// A field's text; empty when it is missing or no file could have it as its name.
std::string textOf(const json& row, const char* key)
{
    const auto value = row.find(key);
    if (value == row.end() || !value->is_string())
        return {};
    std::string text = value->get<std::string>();
    return text.find('\0') == std::string::npos ? text : std::string();
}

std::int64_t numberIn(const json& value, std::int64_t lowest, std::int64_t highest, std::int64_t otherwise)
{
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(highest)))
        return otherwise;
    const auto number = value.get<std::int64_t>();
    return number < lowest || number > highest ? otherwise : number;
}

std::int64_t numberOf(const json& row, const char* key, std::int64_t lowest, std::int64_t highest, std::int64_t otherwise)
{
    const auto value = row.find(key);
    return value == row.end() ? otherwise : numberIn(*value, lowest, highest, otherwise);
}

bool isTrue(const json& row, const char* key)
{
    const auto value = row.find(key);
    return value != row.end() && value->is_boolean() && value->get<bool>();
}

std::optional<DataEntry> entryOf(const json& row)
{
    if (!row.is_object())
        return {};
    const std::string use = textOf(row, "use");
    const auto known = std::ranges::find_if(kUses, [&](Use each) { return use == useName(each); });
    DataEntry entry {.file = textOf(row, "file"), .caption = textOf(row, "caption"), .reason = textOf(row, "reason"), .mask = {}, .poster = {}};
    if (known == kUses.end() || entry.file.empty())
        return {};
    entry.use = *known;
    entry.width = numberOf(row, "width", 1, kMaxPixels, 0);
    entry.height = numberOf(row, "height", 1, kMaxPixels, 0);
    if (const auto bucket = row.find("bucket"); bucket != row.end() && bucket->is_array() && bucket->size() == 2) {
        entry.bucketWidth = numberIn(bucket->at(0), 1, kMaxPixels, 0);
        entry.bucketHeight = numberIn(bucket->at(1), 1, kMaxPixels, 0);
    }
    if (const auto tile = row.find("tile"); tile != row.end() && tile->is_array() && tile->size() == 4) {
        entry.tile = {numberIn(tile->at(0), 0, kMaxPixels, 0), numberIn(tile->at(1), 0, kMaxPixels, 0), numberIn(tile->at(2), 1, kMaxPixels, 0),
            numberIn(tile->at(3), 1, kMaxPixels, 0)};
    }
    if (entry.tile.width == 0 || entry.tile.height == 0)
        entry.tile = {};
    if (entry.width == 0 || entry.height == 0)
        entry.width = entry.height = 0;
    if (entry.bucketWidth == 0 || entry.bucketHeight == 0)
        entry.bucketWidth = entry.bucketHeight = 0;
    entry.frames = numberOf(row, "frames", 1, kMaxCount, 1);
    entry.repeats = numberOf(row, "repeats", 1, kMaxCount, 1);
    entry.mask = textOf(row, "mask");
    entry.poster = textOf(row, "poster");
    entry.isAlphaMask = isTrue(row, "alpha_mask");
    entry.isPrecomputed = isTrue(row, "precomputed");
    return entry;
}

}  // namespace

double DataEntry::croppedPart() const
{
    if (width <= 0 || bucketWidth <= 0)
        return 0;
    const double shape = static_cast<double>(width) / static_cast<double>(height);
    const double kept = static_cast<double>(bucketWidth) / static_cast<double>(bucketHeight);
    return 1 - std::min(shape, kept) / std::max(shape, kept);
}

const char* useName(Use use)
{
    switch (use) {
    case Use::Training: return "training";
    case Use::Validation: return "validation";
    case Use::Prior: return "prior";
    case Use::LeftOut: return "left out";
    }
    return "";
}

std::filesystem::path dataPath(const DataManifest& manifest, const std::string& file)
{
    return std::filesystem::path(manifest.folder) / file;
}

void writeDataManifest(const std::filesystem::path& file, const DataManifest& manifest)
{
    std::string text = "{\"v\":" + std::to_string(kVersion) + ",\"attempt\":" + std::to_string(manifest.attempt) + ",\"folder\":";
    appendJsonString(text, manifest.folder);
    text += ",\"resolution\":" + std::to_string(manifest.resolution) + ",\"entries\":" + std::to_string(manifest.entries.size()) + "}\n";
    for (const DataEntry& entry : manifest.entries)
        text += lineOf(entry);
    AtomicFile output(file, text.size());
    output.output().write(text.data(), text.size());
    output.finish(Durability::Process);
}

DataManifest readDataManifest(const std::filesystem::path& file)
{
    const std::string content = fileContent(file, kMaxBytes, Links::Refuse);
    std::string_view rest = content;
    const auto nextLine = [&rest] {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return line.size() > kMaxLineBytes ? json() : parsedOrDiscarded(line);
    };
    const json header = nextLine();
    if (!header.is_object() || !header.contains("v"))
        throw std::runtime_error(file.string() + ": is not a list of training data");
    if (numberOf(header, "v", 1, kMaxCount, kMaxCount) > kVersion)
        throw std::runtime_error(file.string() + ": was written by a later version of Atelier");
    DataManifest manifest {.attempt = static_cast<int>(numberOf(header, "attempt", 1, 1'000'000, 1)),
        .folder = textOf(header, "folder"),
        .resolution = numberOf(header, "resolution", 1, kMaxPixels, 0),
        .entries = {}};
    if (manifest.folder == ".")
        manifest.folder = file.parent_path().string();
    std::int64_t malformed = 0;
    while (!rest.empty()) {
        if (auto entry = entryOf(nextLine()))
            manifest.entries.push_back(std::move(*entry));
        else
            ++malformed;
    }
    const auto read = static_cast<std::int64_t>(manifest.entries.size());
    manifest.missing = std::max(malformed, numberOf(header, "entries", 0, kMaxCount, 0) - read);
    return manifest;
}

}  // namespace contract
