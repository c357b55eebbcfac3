#include "engine/contract/json_config.h"

#include "engine/contract/file_content.h"
#include "engine/contract/safetensors_header.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Sees the parts of a JSON text as they are parsed.
class JsonGuard {
public:
    bool operator()(int depth, Json::parse_event_t event, Json& part)
    {
        constexpr int kDeepest = 64;
        if (depth > kDeepest)
            throw std::runtime_error("its JSON is nested too deeply");
        if (event == Json::parse_event_t::object_start)
            m_keys.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            m_keys.pop_back();
        else if (event == Json::parse_event_t::key && !m_keys.back().insert(part.get<std::string>()).second)
            throw std::runtime_error("has the key " + shownName(part.get_ref<const std::string&>()) + " twice in an object");
        return true;
    }

private:
    std::vector<std::set<std::string>> m_keys;  ///< of the objects that are open
};

std::optional<std::int64_t> asInteger(const Json& value)
{
    constexpr double kExact = 9007199254740992.0;  // 2^53: a writer's 4.0 is a 4
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return std::nullopt;
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (!value.is_number_float() || std::abs(value.get<double>()) > kExact || std::trunc(value.get<double>()) != value.get<double>())
        return std::nullopt;
    return static_cast<std::int64_t>(value.get<double>());
}

std::optional<double> asReal(const Json& value) { return value.is_number() ? std::optional(value.get<double>()) : std::nullopt; }

std::optional<std::string> asText(const Json& value)
{
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::optional<bool> asFlag(const Json& value) { return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt; }

}  // namespace

Json parseJson(std::string_view text, const fs::path& where)
{
    try {
        return Json::parse(text, JsonGuard());
    } catch (const Json::parse_error& error) {
        throw std::runtime_error(where.string() + ": is no valid JSON (at byte " + std::to_string(error.byte) + ")");
    } catch (const std::exception& error) {
        throw std::runtime_error(where.string() + ": " + error.what());
    }
}

Json readJson(const fs::path& file)
{
    constexpr std::uint64_t kMost = std::uint64_t {256} << 20;
    return parseJson(fileContent(file, kMost), file);
}

JsonConfig::JsonConfig(const fs::path& file)
    : m_file(std::make_shared<const fs::path>(file))
    , m_object(std::make_shared<const Json>(readJson(file)))
{
    requireObject();
}

JsonConfig::JsonConfig(const fs::path& where, std::string_view text)
    : m_file(std::make_shared<const fs::path>(where))
    , m_object(std::make_shared<const Json>(parseJson(text, where)))
{
    requireObject();
}

void JsonConfig::requireObject() const
{
    if (!m_object->is_object())
        throw std::runtime_error(m_file->string() + ": is no JSON object");
}

const Json* JsonConfig::find(std::string_view key) const
{
    const auto found = m_object->find(std::string(key));
    return found == m_object->end() || found->is_null() ? nullptr : &*found;
}

bool JsonConfig::has(std::string_view key) const { return find(key) != nullptr; }

template <typename Value, typename Convert>
Value JsonConfig::get(std::string_view key, const std::optional<Value>& otherwise, const char* what, Convert convert) const
{
    const Json* const value = find(key);
    if (!value && otherwise)
        return *otherwise;
    if (!value)
        fail(key, std::string("is missing; it must be ") + what);
    std::optional<Value> result = convert(*value);
    if (!result)
        fail(key, std::string("must be ") + what);
    return *std::move(result);
}

template <typename Value, typename Convert>
std::vector<Value> JsonConfig::list(
    std::string_view key, const std::optional<std::vector<Value>>& otherwise, const char* what, Convert convert) const
{
    return get<std::vector<Value>>(key, otherwise, what, [&convert](const Json& json) -> std::optional<std::vector<Value>> {
        if (!json.is_array())
            return std::nullopt;
        std::vector<Value> values;
        for (const Json& item : json) {
            std::optional<Value> value = convert(item);
            if (!value)
                return std::nullopt;
            values.push_back(*std::move(value));
        }
        return values;
    });
}

std::int64_t JsonConfig::integer(std::string_view key, std::optional<std::int64_t> otherwise) const
{
    return get(key, otherwise, "a whole number", asInteger);
}

std::int64_t JsonConfig::count(std::string_view key, std::optional<std::int64_t> otherwise) const
{
    return get(key, otherwise, "a whole number from 1 to 2147483647", [](const Json& json) {
        const auto value = asInteger(json);
        return value && *value >= 1 && *value <= INT32_MAX ? value : std::nullopt;
    });
}

double JsonConfig::real(std::string_view key, std::optional<double> otherwise) const
{
    return get(key, otherwise, "a number", asReal);
}

bool JsonConfig::flag(std::string_view key, std::optional<bool> otherwise) const
{
    return get(key, otherwise, "true or false", asFlag);
}

std::string JsonConfig::text(std::string_view key, std::optional<std::string> otherwise) const
{
    return get(key, otherwise, "a text", asText);
}

std::vector<std::int64_t> JsonConfig::integers(std::string_view key, std::optional<std::vector<std::int64_t>> otherwise) const
{
    return list(key, otherwise, "a list of whole numbers", asInteger);
}

std::vector<double> JsonConfig::reals(std::string_view key, std::optional<std::vector<double>> otherwise) const
{
    return list(key, otherwise, "a list of numbers", asReal);
}

std::vector<std::string> JsonConfig::texts(std::string_view key, std::optional<std::vector<std::string>> otherwise) const
{
    return list(key, otherwise, "a list of texts", asText);
}

JsonConfig JsonConfig::object(std::string_view key) const
{
    const Json* const value = find(key);
    if (!value || !value->is_object())
        fail(key, value ? "must be an object" : "is missing; it must be an object");
    JsonConfig part;
    part.m_file = m_file;
    part.m_object = std::shared_ptr<const Json>(m_object, value);
    part.m_prefix = m_prefix + std::string(key) + ".";
    return part;
}

void JsonConfig::requireKnown(std::initializer_list<std::string_view> known) const
{
    for (const auto& [key, value] : m_object->items()) {
        if (key.starts_with('_') || std::find(known.begin(), known.end(), key) != known.end())
            continue;
        std::string names;
        for (const std::string_view name : known)
            names += (names.empty() ? "" : ", ") + std::string(name);
        fail(key, "is not known here; known: " + names);
    }
}

void JsonConfig::fail(std::string_view key, const std::string& what) const
{
    throw std::runtime_error(m_file->string() + ": " + shownName(m_prefix + std::string(key)) + " " + what);
}

}  // namespace contract
