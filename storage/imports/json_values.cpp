#include "storage/imports/json_values.h"

#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace storage {
namespace {

using Json = nlohmann::json;

constexpr int kMostDepth = 32;
/// Of a joined name: every value of an object has that of the object in its own.
constexpr std::size_t kLongestPath = 500;

/// Python writes what is no number as bare words, which JSON does not have: puts them in quotes.
std::string withQuotedWords(std::string_view json)
{
    std::string out;
    bool isQuoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] == '"')
            isQuoted = !isQuoted;
        if (isQuoted && json[i] == '\\' && i + 1 < json.size()) {
            out += json[i++];
            out += json[i];
            continue;
        }
        std::string_view word;
        if (!isQuoted)
            for (const std::string_view each : {"NaN", "Infinity", "-Infinity"})
                word = json.substr(i).starts_with(each) ? each : word;
        if (word.empty()) {
            out += json[i];
            continue;
        }
        out.append("\"").append(word).append("\"");
        i += word.size() - 1;
    }
    return out;
}

template <typename OnLeaf>
void eachLeaf(const Json& value, const std::string& key, const OnLeaf& onLeaf)
{
    if (!value.is_object() || value.contains("_type"))
        return onLeaf(key.empty() ? std::string("value") : key, value);
    for (const auto& [name, inner] : value.items())
        eachLeaf(inner, contract::shortened(key.empty() ? name : key + "." + name, kLongestPath), onLeaf);
}

}  // namespace

std::optional<double> numberInJson(std::string_view json)
{
    if (json == "true" || json == "false")
        return json == "true" ? 1 : 0;
    if (json.size() > 2 && json.front() == '"' && json.back() == '"') {
        const auto value = contract::parseReal(json.substr(1, json.size() - 2));
        return value && !std::isfinite(*value) ? value : std::nullopt;  // other texts are no numbers
    }
    return contract::parseReal(json);
}

Json parsedJson(std::string_view json)
{
    // Deeper values are dropped as they are read, so that none is ever destroyed recursively.
    const auto isShallow = [](int depth, Json::parse_event_t, const Json&) { return depth <= kMostDepth; };
    Json value = Json::parse(json, isShallow, false);
    if (value.is_discarded())
        value = Json::parse(withQuotedWords(json), isShallow, false);
    return value;
}

std::string textOfNumber(double value)
{
    constexpr double kMostDigits = 1e15;
    if (!std::isfinite(value))
        return contract::shortestText(value);
    const bool isWhole = value == std::floor(value) && std::abs(value) < kMostDigits;
    return isWhole ? std::to_string(static_cast<std::int64_t>(value)) : contract::jsonText(Json(value));
}

bool visitJson(std::string_view json, const std::string& key, const JsonVisitor& visitor)
{
    const Json value = parsedJson(json);
    if (value.is_discarded())
        return false;
    eachLeaf(value, key, [&](const std::string& name, const Json& leaf) {
        if (leaf.is_number())
            visitor.onNumber(name, leaf.get<double>());
        else if (leaf.is_boolean())
            visitor.onNumber(name, leaf.get<bool>() ? 1 : 0);
        else if (leaf.is_object())
            visitor.onMedium(name, leaf);
        else if (leaf.is_array())
            visitor.onText(name, contract::jsonText(leaf));
        else if (leaf.is_string()) {
            const auto& text = leaf.get_ref<const std::string&>();
            const auto number = contract::parseReal(text);
            if (number && !std::isfinite(*number))
                visitor.onNumber(name, *number);
            else
                visitor.onText(name, text);
        }
    });
    return true;
}

bool visitJsonTexts(std::string_view json, const std::string& key, const std::function<void(const std::string&, const std::string&)>& onText)
{
    const Json value = parsedJson(json);
    if (value.is_discarded())
        return false;
    eachLeaf(value, key, [&](const std::string& name, const Json& leaf) {
        if (!leaf.is_null())
            onText(name, leaf.is_string() ? leaf.get<std::string>() : contract::jsonText(leaf));
    });
    return true;
}

}  // namespace storage
