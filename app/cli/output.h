// Standard output of a command: people's text or one JSON document, never both.
#pragma once
#include <nlohmann/json.hpp>

#include <string_view>

namespace app {

/// Keys in the order in which they were added.
using Json = nlohmann::ordered_json;

/// A number as JSON; non-finite ones as "NaN", "Infinity", "-Infinity", as in journals.
Json jsonNumber(double value);

/// Both write and flush. @throws Failure when standard output cannot take it (a full disk, for one).
void printText(std::string_view text);
void printJson(const Json& document);

/// "warning: …" on standard error.
void printWarning(std::string_view sentence);

}  // namespace app
