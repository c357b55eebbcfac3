// Cleans prompts as Wan's pipeline does before tokenization.
#pragma once
#include <string>
#include <string_view>

namespace engine {

/// Applies the parts of ftfy's fix_text that matter for typed text (straight quotes, plain letters for ligatures and full-width
/// forms, uniform line ends, no control characters, normalization form C). Then replaces HTML references twice, collapses white
/// space to single spaces and trims it. Does not do ftfy's repair of wrongly decoded text, its conversion of half-width
/// katakana, or its removal of terminal escape sequences.
std::string cleanedPrompt(std::string_view prompt);

}  // namespace engine
