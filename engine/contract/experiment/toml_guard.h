// toml++, as all files of this folder use it, and what rejects input that toml++ 3.3 cannot handle: it recurses once per part of a
// dotted key, so a key with very many parts overflows the stack; and its behaviour is undefined for most non-ASCII characters
// outside quotes and comments, where TOML forbids them.
#pragma once
#include "engine/contract/experiment/experiment.h"

// Damaged files trigger assertions of toml++ 3.3, although the code after them reports the error properly; with NDEBUG they
// become assumptions for the optimizer. Both are disabled here.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <optional>
#include <string_view>

namespace contract {

/// Returns the first such problem in @p toml, with its line. Tracks quotes as TOML defines them, up to the first syntax error,
/// where toml++ stops as well.
std::optional<Problem> findUnparsable(std::string_view toml);

}  // namespace contract
