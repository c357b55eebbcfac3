#include "engine/data/caption_files.h"

#include "engine/contract/file_content.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMostCaptionBytes = 65536;  // what a tokenizer reads
constexpr std::uint64_t kMostMetadataBytes = std::uint64_t {1} << 30;

std::string trimmed(std::string_view text)
{
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace

Captions::Captions(const fs::path& folder, std::vector<BrokenPicture>& broken)
{
    const fs::path file = folder / "metadata.jsonl";
    if (!fs::exists(file))
        return;
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
        const std::string caption = trimmed(text.empty() ? textOf("caption") : text);
        const std::string where = file.string() + ", line " + std::to_string(number);
        if (name.empty())
            broken.push_back({file, where + ": is no object with a file_name"});
        else if (caption.size() > kMostCaptionBytes)
            broken.push_back({file, where + ": the caption has more than " + std::to_string(kMostCaptionBytes) + " bytes"});
        else
            m_metadata[(folder / name).lexically_normal()] = caption;
    }
}

std::string Captions::of(const fs::path& file) const
{
    fs::path beside = file;
    if (fs::is_directory(file))
        beside += ".txt";
    else
        beside.replace_extension(".txt");
    if (fs::exists(beside))
        return trimmed(contract::fileContent(beside, kMostCaptionBytes));
    const auto row = m_metadata.find(file.lexically_normal());
    return row == m_metadata.end() ? std::string() : row->second;
}

void Captions::listMissing(const std::set<fs::path>& found, std::vector<BrokenPicture>& broken) const
{
    for (const auto& [file, caption] : m_metadata) {
        if (!found.contains(file))
            broken.push_back({file, file.string() + ": is named in metadata.jsonl and missing"});
    }
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

}  // namespace engine
