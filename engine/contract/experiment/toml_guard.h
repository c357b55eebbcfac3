// Rejects input that toml++ 3.3 cannot handle. It recurses once per part of a dotted key, so a key with very many parts
// overflows the stack; and its behaviour is undefined for most non-ASCII characters outside quotes and comments, where
// TOML forbids them.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <optional>
#include <string_view>

namespace contract {

/// Returns the first such problem in @p toml, with its line. Tracks quotes as TOML defines them, up to the first syntax error,
/// where toml++ stops as well.
std::optional<Problem> findUnparsable(std::string_view toml);

}  // namespace contract
