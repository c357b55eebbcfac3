#include "engine/data/caption_files.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/contract/formats/text.h"

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

constexpr char kMetadataFile[] = "metadata.jsonl";
constexpr std::uint64_t kMaxCaptionBytes = 65536;  // limit of the tokenizers
constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t {1} << 30;
constexpr std::size_t kMaxLineBytes = std::size_t {1} << 20;
constexpr std::int64_t kMostMalformed = 1000;  // lines that are named

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some editors begin UTF-8 text with it
constexpr const char* kNoText = "has a NUL character, so it is not text (UTF-16 is not read: save it as UTF-8)";

}  // namespace

Captions::Captions(const fs::path& folder, std::vector<BrokenImage>& broken)
    : m_folder(folder.lexically_normal())
{
    const fs::path file = m_folder / kMetadataFile;
    if (!contract::hasEntry(file))
        return;
    const std::string content = contract::fileContent(file, kMaxMetadataBytes);
    std::string_view rest = content;
    std::int64_t malformed = 0;
    for (std::int64_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (contract::trimmed(line).empty())
            continue;
        const json row = line.size() > kMaxLineBytes ? json() : contract::parsedOrDiscarded(line);
        const auto textOf = [&](const char* key) {
            const auto value = row.find(key);
            return row.is_object() && value != row.end() && value->is_string() ? value->get<std::string>() : std::string();
        };
        const std::string name = textOf("file_name");
        const std::string text = textOf("text");
        const std::string caption(contract::trimmed(text.empty() ? textOf("caption") : text));
        const auto refuse = [&](const std::string& why) {
            if (++malformed <= kMostMalformed)
                broken.push_back({file, file.string() + ", line " + std::to_string(number) + ": " + why});
        };
        if (name.empty())
            refuse("is not a JSON object with a file_name, of at most " + std::to_string(kMaxLineBytes) + " bytes");
        else if (caption.size() > kMaxCaptionBytes)
            refuse("the caption has more than " + std::to_string(kMaxCaptionBytes) + " bytes");
        else if (name.find('\0') != std::string::npos || caption.find('\0') != std::string::npos)
            refuse(kNoText);
        else
            m_metadata[(m_folder / name).lexically_normal()] = caption;
    }
    if (malformed > kMostMalformed)
        broken.push_back({file, file.string() + ": " + std::to_string(malformed - kMostMalformed) + " more lines are malformed"});
}

std::string Captions::of(const fs::path& file) const
{
    fs::path textFile = file;
    std::error_code ignored;
    if (fs::is_directory(file, ignored))
        textFile += ".txt";
    else
        textFile.replace_extension(".txt");
    if (contract::hasEntry(textFile)) {
        const std::string content = contract::fileContent(textFile, kMaxCaptionBytes);
        if (content.find('\0') != std::string::npos)
            throw std::runtime_error(textFile.string() + ": " + kNoText);
        if (!contract::isUtf8(content))
            throw std::runtime_error(textFile.string() + ": is not UTF-8 text (an older encoding such as Latin-1 is not read: save it as UTF-8)");
        std::string_view text = content;
        text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
        return std::string(contract::trimmed(text));
    }
    const auto row = m_metadata.find(file.lexically_normal());
    return row == m_metadata.end() ? std::string() : row->second;
}

void Captions::listMissing(const std::set<fs::path>& found, std::vector<BrokenImage>& broken) const
{
    for (const auto& [file, caption] : m_metadata) {
        if (found.contains(file))
            continue;
        const std::string name = contract::quotedName(file.lexically_relative(m_folder).string());
        broken.push_back({file, (m_folder / kMetadataFile).string() + ": names " + name + ", which does not exist"});
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
