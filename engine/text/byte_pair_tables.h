// Reads a byte-pair vocabulary: the tokens, and the order in which pairs are merged.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {

struct BytePairTables {
    std::unordered_map<std::string, std::int32_t> vocabulary;     ///< id of each token, at least 0
    std::vector<std::pair<std::string, std::string>> merges;      ///< in order of priority
};

/// Reads vocab.json and merges.txt, or else tokenizer.json.
/// @param pattern regular expression, or part of it, that tokenizer.json must use to split text
/// @throws std::runtime_error naming the file and what is wrong with it.
BytePairTables readBytePairTables(const std::filesystem::path& folder, const std::string& pattern);

}  // namespace engine
