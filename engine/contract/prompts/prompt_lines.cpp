#include "engine/contract/prompts/prompt_lines.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>

namespace contract {
namespace {

using nlohmann::json;

/// @throws std::runtime_error with what is wrong with the line, to follow its number.
Prompt promptOfObject(std::string_view line)
{
    bool isDeep = false;
    json row = json::parse(
        line,
        [&](int depth, json::parse_event_t event, json&) {
            const bool begins = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
            isDeep |= begins && depth >= kMaxPromptFieldDepth;
            return !isDeep;
        },
        /*allow_exceptions=*/false);
    if (isDeep)
        throw std::runtime_error("has objects or lists more than " + std::to_string(kMaxPromptFieldDepth) + " deep in each other");
    if (!row.is_object())
        throw std::runtime_error("is not a JSON object, as in {\"prompt\": \"a red heart\"}");
    const auto prompt = row.find("prompt");
    if (prompt == row.end() || !prompt->is_string())
        throw std::runtime_error("has no text named \"prompt\"");
    Prompt result {std::string(trimmed(prompt->get<std::string>())), {}};
    row.erase(prompt);
    result.fields = jsonText(row);
    if (result.text.empty())
        throw std::runtime_error("has an empty prompt");
    return result;
}

/// @throws std::runtime_error as above.
Prompt promptOf(std::string_view line, bool isObject)
{
    if (line.size() > kMaxPromptLineBytes)
        throw std::runtime_error("has more than " + std::to_string(kMaxPromptLineBytes) + " bytes");
    if (!isUtf8(line))
        throw std::runtime_error("is not UTF-8: save the file as UTF-8");
    Prompt prompt = isObject ? promptOfObject(line) : Prompt {std::string(line)};
    if (prompt.text.find('\0') != std::string::npos)
        throw std::runtime_error("has a NUL character, so it is not text (UTF-16 is not read: save it as UTF-8)");
    if (prompt.text.size() > kMaxPromptBytes)
        throw std::runtime_error("has a prompt of more than " + std::to_string(kMaxPromptBytes) + " bytes");
    return prompt;
}

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> all) { return std::ranges::find(all, text) != all.end(); }

/// Whether @p text begins with a brace and a quotation mark, as in { "prompt": …
bool beginsAsObject(std::string_view text)
{
    text = trimmed(text);
    return text.starts_with('{') && trimmed(text.substr(1)).starts_with('"');
}

}  // namespace

std::vector<Prompt> promptsOf(std::string_view text, const std::filesystem::path& file)
{
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    const bool isNamedJson = isOneOf(file.extension().string(), {".json", ".jsonl", ".ndjson"});
    if (isNamedJson && trimmed(text).starts_with('['))
        throw std::runtime_error(escapedBytes(file.string()) + ": is a JSON list; write one object on each line");
    const bool isJson = isNamedJson || beginsAsObject(text);
    std::vector<Prompt> prompts;
    std::int64_t number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = trimmed(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ++number;
        if (line.empty())
            continue;
        try {
            prompts.push_back(promptOf(line, isJson));
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(escapedBytes(file.string()) + ", line " + std::to_string(number) + ": " + error.what());
        }
    }
    if (prompts.empty())
        throw std::runtime_error(escapedBytes(file.string()) + ": has no prompts; write one on each line");
    return prompts;
}

}  // namespace contract
