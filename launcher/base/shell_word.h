// Text as a word of a shell's command line.
#pragma once
#include <string>

namespace launcher {

/// @p text as one word: as it is where a shell would not change it, else in single quotes.
std::string shellWord(const std::string& text);

}  // namespace launcher
