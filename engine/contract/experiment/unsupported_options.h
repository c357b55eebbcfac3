// Options of other training engines that Atelier does not have on purpose.
#pragma once
#include <string_view>

namespace contract {

/// Why @p key, in whichever group and with or without "_size" at its end, is not supported and what serves instead, as a clause
/// for a message; empty for any other key that is not declared.
std::string_view whyUnsupported(std::string_view key);

/// Whether the value of such a key asks for what Atelier always does: strategy = "fsdp" or "fsdp2", fsdp = true (rows E-050 and
/// E-213). Such a setting is accepted and has no effect.
/// @param text the value as TOML, or without its quotes
bool isAlwaysSo(std::string_view key, std::string_view text);

}  // namespace contract
