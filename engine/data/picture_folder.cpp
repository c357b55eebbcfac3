#include "engine/data/picture_folder.h"

#include "engine/contract/file_content.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMostCaptionBytes = 65536;  // what a tokenizer reads
constexpr std::uint64_t kMostMetadataBytes = std::uint64_t {1} << 30;
constexpr std::string_view kMaskEnding = "-masklabel.png";

std::string trimmed(std::string_view text)
{
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

std::vector<fs::path> filesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end; entry.increment(error))
        files.push_back(entry->path());
    if (error)
        throw std::runtime_error(folder.string() + ": cannot be read (" + error.message() + ")");
    std::sort(files.begin(), files.end());
    return files;
}

bool isMask(const fs::path& file) { return file.filename().string().ends_with(kMaskEnding); }

/// Captions by path, from metadata.jsonl; lines that are wrong go to @p broken.
std::map<fs::path, std::string> metadataCaptions(const fs::path& folder, std::vector<BrokenPicture>& broken)
{
    std::map<fs::path, std::string> captions;
    const fs::path file = folder / "metadata.jsonl";
    if (!fs::exists(file))
        return captions;
    const std::string content = contract::fileContent(file, kMostMetadataBytes);
    std::string_view rest = content;
    for (std::int64_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (trimmed(line).empty())
            continue;
        const json row = json::parse(line, nullptr, false);
        const auto textOf = [&](const char* key) {
            const auto value = row.find(key);
            return row.is_object() && value != row.end() && value->is_string() ? value->get<std::string>() : std::string();
        };
        const std::string name = textOf("file_name");
        const std::string text = textOf("text");
        if (name.empty())
            broken.push_back({file, file.string() + ", line " + std::to_string(number) + ": is no object with a file_name"});
        else
            captions[(folder / name).lexically_normal()] = trimmed(text.empty() ? textOf("caption") : text);
    }
    return captions;
}

/// Of NAME.txt, or else of the folder's metadata.
std::string captionOf(const fs::path& picture, const std::map<fs::path, std::string>& metadata)
{
    fs::path file = picture;
    file.replace_extension(".txt");
    if (fs::exists(file))
        return trimmed(contract::fileContent(file, kMostCaptionBytes));
    const auto row = metadata.find(picture.lexically_normal());
    return row == metadata.end() ? std::string() : row->second;
}

PictureEntry entryOf(const fs::path& picture, const std::map<fs::path, std::string>& metadata)
{
    PictureEntry entry {picture, captionOf(picture, metadata), {}, readPictureSize(picture)};
    const fs::path mask = picture.parent_path() / (picture.stem().string() + std::string(kMaskEnding));
    if (fs::exists(mask)) {
        const PictureSize size = readPictureSize(mask);
        if (size.width != entry.size.width || size.height != entry.size.height)
            throw std::runtime_error(mask.string() + ": is not as large as its picture");
        entry.mask = mask;
    }
    return entry;
}

}  // namespace

PictureFolder scanPictureFolder(const fs::path& folder)
{
    PictureFolder result;
    if (!fs::is_directory(folder))
        throw std::runtime_error(folder.string() + ": is no folder");
    std::map<fs::path, std::string> metadata = metadataCaptions(folder, result.broken);
    for (const fs::path& file : filesIn(folder)) {
        if (!hasPictureName(file) || isMask(file))
            continue;
        try {
            result.pictures.push_back(entryOf(file, metadata));
            result.withoutCaption += result.pictures.back().caption.empty() ? 1 : 0;
        } catch (const std::runtime_error& error) {
            result.broken.push_back({file, error.what()});
        }
        metadata.erase(file.lexically_normal());
    }
    for (const auto& [file, caption] : metadata)
        result.broken.push_back({file, file.string() + ": is named in metadata.jsonl and missing"});
    if (result.pictures.empty() && result.broken.empty())
        throw std::runtime_error(folder.string() + ": has no pictures (PNG, JPEG or WebP)");
    if (result.pictures.empty())
        throw std::runtime_error(folder.string() + ": has no picture that can be read. " + result.broken.front().reason);
    return result;
}

}  // namespace engine
