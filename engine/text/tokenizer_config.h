// The small files beside a vocabulary: tokenizer_config.json, special_tokens_map.json, added_tokens.json.
#pragma once
#include "engine/text/added_tokens.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

constexpr std::uint64_t kMostTokenizerBytes = std::uint64_t {1} << 26;  ///< of one file; real ones have 20 MB

/// Names are as in Hugging Face's files; an empty token means that the files name none.
struct TokenizerConfig {
    std::string className;  ///< "CLIPTokenizer", "Qwen2Tokenizer", "T5Tokenizer": without "Fast" at its end
    std::vector<AddedToken> addedTokens;
    std::vector<std::string> specialTokens;  ///< named in passing; their ids are the vocabulary's
    std::string padToken;
    std::string beginToken;
    std::string endToken;
    std::string unknownToken;
    std::int64_t extraIds = 0;  ///< T5: how many <extra_id_N> follow the vocabulary
};

/// Tokens that were added come from tokenizer_config.json, else tokenizer.json, else added_tokens.json.
/// @throws std::runtime_error naming the file and what is wrong with it.
TokenizerConfig readTokenizerConfig(const std::filesystem::path& folder);

/// The object that @p file holds. @throws std::runtime_error naming the file and the fault.
nlohmann::json parsedJson(const std::filesystem::path& file);

/// null when @p object is no object or has no such member.
const nlohmann::json& member(const nlohmann::json& object, const char* name);

}  // namespace engine
