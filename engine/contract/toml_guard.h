// What must not reach toml++ 3.3: it calls itself for every part of a key, so that a key of very many parts
// overflows the stack, and its behaviour is undefined for most characters beyond ASCII outside quotes and
// comments, where TOML forbids them.
#pragma once
#include "engine/contract/experiment.h"

#include <optional>
#include <string_view>

namespace contract {

/// The first such thing in @p toml, with its line. Quotes are followed as TOML defines them, up to the first
/// mistake; there toml++ stops as well.
std::optional<Problem> unparsable(std::string_view toml);

}  // namespace contract
