// Patterns by which an option selects parameters or blocks by name: "blocks.*.qkv.*, final.*".
#pragma once
#include <string_view>
#include <vector>

namespace contract {

/// Splits @p text at commas and trims spaces. Returns views into @p text; empty when @p text is empty.
std::vector<std::string_view> namePatterns(std::string_view text);

/// Whether the whole @p name matches @p pattern, in which * stands for any number of characters, including none.
bool matchesPattern(std::string_view name, std::string_view pattern);

}  // namespace contract
