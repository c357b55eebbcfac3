// Reads the small files next to a vocabulary: tokenizer_config.json, special_tokens_map.json, added_tokens.json.
#pragma once
#include "engine/text/added_tokens.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

constexpr std::uint64_t kMaxTokenizerFileBytes = std::uint64_t {1} << 26;  ///< limit of one file's size; real files have 20 MB

/// Settings named as in Hugging Face's files. A token is empty when the files name none.
struct TokenizerConfig {
    std::string className;  ///< "CLIPTokenizer", "Qwen2Tokenizer", "T5Tokenizer": without "Fast" at its end
    std::vector<AddedToken> addedTokens;
    std::vector<std::string> specialTokens;  ///< special tokens without ids in the config; their ids come from the vocabulary
    std::string padToken;
    std::string beginToken;
    std::string endToken;
    std::string unknownToken;
    std::int64_t extraIds = 0;  ///< T5: how many <extra_id_N> follow the vocabulary
};

/// Reads the settings of a folder. Added tokens come from tokenizer_config.json, else tokenizer.json, else added_tokens.json.
/// @throws std::runtime_error naming the file and what is wrong with it.
TokenizerConfig readTokenizerConfig(const std::filesystem::path& folder);

/// Parses a JSON file that holds an object. @throws std::runtime_error naming the file and what is wrong with it.
nlohmann::json parsedJson(const std::filesystem::path& file);

/// Returns a member of @p object; a JSON null when @p object is not an object or has no such member.
const nlohmann::json& member(const nlohmann::json& object, const char* name);

}  // namespace engine
