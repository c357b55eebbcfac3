// Output of commands. Standard output gets either text or one JSON document, never both.
#pragma once
#include <nlohmann/json.hpp>

#include <string_view>

namespace app {

/// Keeps keys in the order in which they were added.
using Json = nlohmann::ordered_json;

/// Returns a number as JSON; non-finite numbers become "NaN", "Infinity" or "-Infinity", as in journals.
Json jsonNumber(double value);

// Both write to standard output and flush it. @throws Failure when it cannot be written, for example on a full disk.
void printText(std::string_view text);
void printJson(const Json& document);

/// Writes "warning: …" to standard error.
void printWarning(std::string_view sentence);
/// The same as "error: …", of one of several things of which the others go on.
void printError(std::string_view sentence);

}  // namespace app
