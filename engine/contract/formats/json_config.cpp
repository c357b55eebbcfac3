#include "engine/contract/formats/json_config.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/safetensors_header.h"

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

/// Parser callback that rejects deep nesting and duplicate keys.
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
            throw std::runtime_error("has the key " + quotedName(part.get_ref<const std::string&>()) + " twice in an object");
        return true;
    }

private:
    std::vector<std::set<std::string>> m_keys;  ///< keys seen so far in each object that is still open
};

std::optional<std::int64_t> asInteger(const Json& value)
{
    constexpr double kExact = 9007199254740992.0;  // 2^53; some writers write the integer 4 as 4.0
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
        throw std::runtime_error(where.string() + ": is not valid JSON (at byte " + std::to_string(error.byte) + ")");
    } catch (const Json::out_of_range&) {
        throw std::runtime_error(where.string() + ": has a number that is too large");
    } catch (const std::exception& error) {
        throw std::runtime_error(where.string() + ": " + error.what());
    }
}

Json readJson(const fs::path& file)
{
    constexpr std::uint64_t kMaxBytes = std::uint64_t {256} << 20;
    return parseJson(fileContent(file, kMaxBytes), file);
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
        throw std::runtime_error(m_file->string() + ": is not a JSON object");
}

const Json* JsonConfig::find(std::string_view key) const
{
    const auto found = m_object->find(std::string(key));
    return found == m_object->end() || found->is_null() ? nullptr : &*found;
}

bool JsonConfig::has(std::string_view key) const { return find(key) != nullptr; }

template <typename Value, typename Convert>
Value JsonConfig::get(std::string_view key, const std::optional<Value>& fallback, const char* what, Convert convert) const
{
    const Json* const value = find(key);
    if (!value && fallback)
        return *fallback;
    if (!value)
        fail(key, std::string("is missing; it must be ") + what);
    std::optional<Value> result = convert(*value);
    if (!result)
        fail(key, std::string("must be ") + what);
    return *std::move(result);
}

template <typename Value, typename Convert>
std::vector<Value> JsonConfig::list(
    std::string_view key, const std::optional<std::vector<Value>>& fallback, const char* what, Convert convert) const
{
    return get<std::vector<Value>>(key, fallback, what, [&convert](const Json& json) -> std::optional<std::vector<Value>> {
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

std::int64_t JsonConfig::integer(std::string_view key, std::optional<std::int64_t> fallback) const
{
    return get(key, fallback, "a whole number", asInteger);
}

std::int64_t JsonConfig::count(std::string_view key, std::optional<std::int64_t> fallback) const
{
    return get(key, fallback, "a whole number from 1 to 2147483647", [](const Json& json) {
        const auto value = asInteger(json);
        return value && *value >= 1 && *value <= INT32_MAX ? value : std::nullopt;
    });
}

double JsonConfig::real(std::string_view key, std::optional<double> fallback) const
{
    return get(key, fallback, "a number", asReal);
}

bool JsonConfig::flag(std::string_view key, std::optional<bool> fallback) const
{
    return get(key, fallback, "true or false", asFlag);
}

std::string JsonConfig::text(std::string_view key, std::optional<std::string> fallback) const
{
    return get(key, fallback, "a string", asText);
}

std::vector<std::int64_t> JsonConfig::integers(std::string_view key, std::optional<std::vector<std::int64_t>> fallback) const
{
    return list(key, fallback, "a list of whole numbers", asInteger);
}

std::vector<double> JsonConfig::reals(std::string_view key, std::optional<std::vector<double>> fallback) const
{
    return list(key, fallback, "a list of numbers", asReal);
}

std::vector<std::string> JsonConfig::texts(std::string_view key, std::optional<std::vector<std::string>> fallback) const
{
    return list(key, fallback, "a list of strings", asText);
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
        fail(key, "is not a known key; known keys: " + names);
    }
}

void JsonConfig::fail(std::string_view key, const std::string& what) const
{
    throw std::runtime_error(m_file->string() + ": " + quotedName(m_prefix + std::string(key)) + " " + what);
}

}  // namespace contract
