// Values in JSON as other programs record them, nested or not, in a flat form.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace storage {

/// The number that @p json is: also true and false as 1 and 0, and the words NaN, Infinity and -Infinity, in quotes or not.
std::optional<double> numberInJson(std::string_view json);

/// As people write it, "0.0003" and "16"; "NaN", "Infinity" and "-Infinity" for the others.
std::string textOfNumber(double value);

/// Discarded (is_discarded()) when it is no JSON, save for the words above; values below 32 levels are left out.
nlohmann::json parsedJson(std::string_view json);

struct JsonVisitor {
    std::function<void(const std::string& key, double value)> onNumber;
    std::function<void(const std::string& key, const std::string& text)> onText;  ///< also for lists, as JSON
    std::function<void(const std::string& key, const nlohmann::json& medium)> onMedium;  ///< an object with "_type": a picture, a table
};

/// Visits the values of @p json, which is of the name @p key. Those of an object are called "KEY.NAME" (or "NAME" when @p key is empty),
/// cut after 500 bytes, to any of 32 depths; nulls are skipped.
/// @return false, having visited nothing, when it is not JSON
bool visitJson(std::string_view json, const std::string& key, const JsonVisitor& visitor);

/// The same by text alone: numbers and truth values as they stand.
bool visitJsonTexts(std::string_view json, const std::string& key, const std::function<void(const std::string&, const std::string&)>& onText);

}  // namespace storage
