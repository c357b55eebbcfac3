// Prompts as Wan's pipeline cleans them before they become tokens.
#pragma once
#include <string>
#include <string_view>

namespace engine {

/// What ftfy's fix_text does to typed text (straight quotes, ligatures and full-width forms as plain letters, line ends, no
/// control characters, normalization form C), then references of HTML twice, then every run of white space as one space
/// and none at the ends. Of ftfy it leaves out: the repair of text decoded by a wrong table, half-width katakana,
/// escape sequences of terminals.
std::string cleanedPrompt(std::string_view prompt);

}  // namespace engine
