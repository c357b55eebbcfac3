#include "engine/contract/formats/json_text.h"

#include <nlohmann/json.hpp>

namespace contract {
namespace {

template <typename Json>
std::string textOf(const Json& json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parsedJson(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::json parsedOrDiscarded(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

std::string jsonText(const nlohmann::json& json, int indent) { return textOf(json, indent); }

std::string jsonText(const nlohmann::ordered_json& json, int indent) { return textOf(json, indent); }

}  // namespace contract
