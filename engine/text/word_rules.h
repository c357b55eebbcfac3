// How text is normalized and divided into the words that byte pairs are merged in: CLIP's way and Qwen2's.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Views into the text, in order; they do not overlap.
using Words = std::vector<std::u32string_view>;

struct WordRules {
    std::u32string (*normalized)(std::u32string_view text);
    Words (*words)(std::u32string_view normalized);
    std::string_view endOfWord;  ///< is part of a word's last symbol
};

/// NFC, white space to one space, lower case; words are what this matches, the rest is dropped:
/// <|startoftext|>|<|endoftext|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+
/// The first two are then divided once more, into "<|", the letters and "|>".
const WordRules& clipWordRules();

/// NFC; words are what this matches, all of the text:
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
const WordRules& qwen2WordRules();

}  // namespace engine
