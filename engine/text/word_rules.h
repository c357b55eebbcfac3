// Normalization and word splitting of CLIP and Qwen2. Byte pairs are merged only within a word.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Non-overlapping views into the text, in order.
using Words = std::vector<std::u32string_view>;

struct WordRules {
    std::u32string (*normalized)(std::u32string_view text);
    Words (*words)(std::u32string_view normalized);
    std::string_view endOfWord;  ///< suffix of a word's last symbol
};

/// Converts to NFC and lower case, and white space to single spaces. Words are the matches of this expression; other text is
/// dropped:
/// <|startoftext|>|<|endoftext|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+
/// Matches of the first two alternatives are then split into "<|", the letters and "|>".
const WordRules& clipWordRules();

/// Converts to NFC. Words are the matches of this expression, which covers all text:
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
const WordRules& qwen2WordRules();

}  // namespace engine
