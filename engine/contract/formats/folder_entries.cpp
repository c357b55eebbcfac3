#include "engine/contract/formats/folder_entries.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <span>
#include <string_view>

namespace contract {

namespace fs = std::filesystem;

namespace {

/// In upper or lower case.
bool endsInOneOf(const fs::path& file, std::span<const std::string_view> endings)
{
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(endings, ending) != endings.end();
}

}  // namespace

std::vector<fs::path> entriesOf(const fs::path& folder, std::error_code& error)
{
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        entries.push_back(entry->path());
    std::ranges::sort(entries);
    return entries;
}

std::vector<fs::path> entriesOf(const fs::path& folder)
{
    std::error_code ignored;
    return entriesOf(folder, ignored);
}

bool hasEntry(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

bool isFolder(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool hasImageName(const fs::path& file)
{
    constexpr std::array<std::string_view, 4> kEndings = {".jpeg", ".jpg", ".png", ".webp"};
    return endsInOneOf(file, kEndings);
}

bool hasUnreadImageName(const fs::path& file)
{
    constexpr std::array<std::string_view, 9> kEndings = {".avif", ".bmp", ".gif", ".heic", ".heif", ".jfif", ".jxl", ".tif", ".tiff"};
    return endsInOneOf(file, kEndings);
}

bool hasVideoName(const fs::path& file)
{
    constexpr std::array<std::string_view, 11> kEndings
        = {".avi", ".gif", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ogv", ".ts", ".webm"};
    return endsInOneOf(file, kEndings);
}

}  // namespace contract
