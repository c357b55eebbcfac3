// Names of parameters and blocks, chosen by an option: "blocks.*.qkv.*, final.*".
#pragma once
#include <string_view>
#include <vector>

namespace contract {

/// What stands between the commas, without spaces around it. Views of @p text; none for an empty one.
std::vector<std::string_view> namePatterns(std::string_view text);

/// In which * stands for any characters, also none.
bool fitsPattern(std::string_view name, std::string_view pattern);

}  // namespace contract
