// The prompts in the text of a prompt file, and what is wrong with a line of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// A prompt, and the other fields of its line in the prompt file, which rewards get.
struct Prompt {
    std::string text;
    std::string fields = "{}";  ///< the other fields of a JSON line, as a JSON object
};

/// Limits of a prompt file, which is untrusted.
constexpr std::uint64_t kMaxPromptFileBytes = std::uint64_t {1} << 28;
constexpr std::size_t kMaxPromptLineBytes = std::size_t {1} << 20;
constexpr std::size_t kMaxPromptBytes = 65536;  ///< limit of the tokenizers
constexpr int kMaxPromptFieldDepth = 64;        ///< of objects and lists in each other

/// The prompt of each line of @p text, which @p file holds, in their order, without white space around them. Empty lines are left out.
///
/// A line is the prompt itself. When the file's name ends in .json, .jsonl or .ndjson, or its first prompt begins with { and ", each line is a
/// JSON object instead, whose "prompt" is the prompt.
/// @throws std::runtime_error naming the file and the line that is wrong: not UTF-8, not such an object, without a prompt, beyond a
///         limit; or that the file has no prompts.
std::vector<Prompt> promptsOf(std::string_view text, const std::filesystem::path& file);

}  // namespace contract
