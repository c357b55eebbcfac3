#include "engine/text/byte_pair_tables.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/text/tokenizer_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void failInFile(const fs::path& file, const std::string& fault)
{
    throw std::runtime_error(file.string() + ": " + fault);
}

std::unordered_map<std::string, std::int32_t> vocabularyFrom(const fs::path& file, const json& object)
{
    if (!object.is_object() || object.empty())
        failInFile(file, "has no vocabulary: an object of tokens and their ids");
    std::unordered_map<std::string, std::int32_t> vocabulary;
    vocabulary.reserve(object.size());
    for (const auto& [token, id] : object.items()) {
        const std::int64_t number = id.is_number_integer() ? id.get<std::int64_t>() : -1;
        if (number < 0 || number > std::numeric_limits<std::int32_t>::max())
            failInFile(file, "the id of token " + contract::quotedName(token) + " is none");
        vocabulary.emplace(token, static_cast<std::int32_t>(number));
    }
    return vocabulary;
}

/// "left right"; a token contains no space.
std::pair<std::string, std::string> mergeFrom(const fs::path& file, std::size_t number, std::string_view line)
{
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size() || line.find(' ', space + 1) != std::string_view::npos)
        failInFile(file, "merge " + std::to_string(number) + " is not two tokens with a space between them");
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

/// Parses merges.txt; a first line that begins with "#version" is skipped.
void readMerges(const fs::path& file, BytePairTables& tables)
{
    const std::string content = contract::fileContent(file, kMaxTokenizerFileBytes);
    std::string_view rest = content;
    for (bool isFirst = true; !rest.empty(); isFirst = false) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!line.empty() && !(isFirst && line.starts_with("#version")))
            tables.merges.push_back(mergeFrom(file, tables.merges.size() + 1, line));
    }
}

/// Merges are written as "left right" or, in newer files, as ["left", "right"].
void addMerges(const fs::path& file, const json& list, BytePairTables& tables)
{
    if (!list.is_array())
        failInFile(file, "has no list of merges");
    for (const json& merge : list) {
        const std::size_t number = tables.merges.size() + 1;
        if (merge.is_string())
            tables.merges.push_back(mergeFrom(file, number, merge.get_ref<const std::string&>()));
        else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
            tables.merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
        else
            failInFile(file, "merge " + std::to_string(number) + " is not two tokens");
    }
}

/// Whether the pre-tokenizer, or one of its parts, splits by a regular expression that contains @p pattern.
bool splitsBy(const json& preTokenizer, const std::string& pattern)
{
    const auto isIn = [&](const json& part) {
        const json& expression = member(member(part, "pattern"), "Regex");
        return expression.is_string() && expression.get_ref<const std::string&>().find(pattern) != std::string::npos;
    };
    const json& parts = member(preTokenizer, "pretokenizers");
    return isIn(preTokenizer) || std::any_of(parts.begin(), parts.end(), isIn);
}

BytePairTables tablesFromJson(const fs::path& file, const std::string& pattern)
{
    const json content = parsedJson(file);
    const json& model = member(content, "model");
    if (member(model, "type") != "BPE")
        failInFile(file, "holds no byte-pair vocabulary (model.type is not \"BPE\")");
    if (!splitsBy(member(content, "pre_tokenizer"), pattern))
        failInFile(file, "divides text into words in a way that is not known here; known is " + pattern);
    BytePairTables tables;
    tables.vocabulary = vocabularyFrom(file, member(model, "vocab"));
    addMerges(file, member(model, "merges"), tables);
    return tables;
}

}  // namespace

BytePairTables readBytePairTables(const fs::path& folder, const std::string& pattern)
{
    const fs::path vocabulary = folder / "vocab.json";
    const fs::path merges = folder / "merges.txt";
    const fs::path both = folder / "tokenizer.json";
    if (contract::hasEntry(vocabulary) && contract::hasEntry(merges)) {
        BytePairTables tables;
        tables.vocabulary = vocabularyFrom(vocabulary, parsedJson(vocabulary));
        readMerges(merges, tables);
        return tables;
    }
    if (!contract::hasEntry(both))
        failInFile(folder, "has neither vocab.json with merges.txt nor tokenizer.json");
    return tablesFromJson(both, pattern);
}

}  // namespace engine
