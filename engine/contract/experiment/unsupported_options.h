// Options of other training engines that Atelier does not have on purpose.
#pragma once
#include <string_view>

namespace contract {

/// Why @p key, in whichever group and with or without "_size" at its end, is not supported and what serves instead, as a clause
/// for a message; empty for any other key that is not declared.
std::string_view whyUnsupported(std::string_view key);

}  // namespace contract
