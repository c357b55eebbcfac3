// The prompts that rollouts draw samples for.
#pragma once
#include "engine/contract/prompts/prompt_lines.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

using contract::Prompt;

/// Reads @p file; see contract::promptsOf(). @throws std::runtime_error as that does, and when the file cannot be read or is too large.
std::vector<Prompt> readPrompts(const std::filesystem::path& file);

/// Splits @p text at each |, and removes white space around each prompt. Empty prompts are left out.
std::vector<std::string> splitPrompts(std::string_view text);

}  // namespace engine
