// A byte-pair vocabulary as files hold it: tokens and the order in which pairs are merged.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace engine {

struct BytePairTables {
    std::unordered_map<std::string, std::int32_t> vocabulary;     ///< ids are not negative
    std::vector<std::pair<std::string, std::string>> merges;      ///< first comes first
};

/// From vocab.json and merges.txt, or else tokenizer.json.
/// @param pattern what tokenizer.json must divide text by: a regular expression, or a part of it.
/// @throws std::runtime_error naming the file and what is wrong with it.
BytePairTables readBytePairTables(const std::filesystem::path& folder, const std::string& pattern);

}  // namespace engine
