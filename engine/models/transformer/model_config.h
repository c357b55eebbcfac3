// Reading sizes and choices from a model's config.json, with limits.
#pragma once
#include "engine/contract/formats/json_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Limits on what a file may say, so that parameter sizes cannot overflow and a model's description stays small.
constexpr std::int64_t kLargestSize = 1 << 20, kMaxLayers = 1000, kLargestPatch = 64, kLargestWidth = 1 << 17;

/// Reads a size from 1 to @p largest. @param otherwise value of an absent key; nullopt: the key is required
/// @throws std::runtime_error naming the file, the key and what it must be.
std::int64_t sizeIn(const contract::JsonConfig& config, std::string_view key,
    std::optional<std::int64_t> otherwise = {}, std::int64_t largest = kLargestSize);

/// Reads a string that must be @p otherwise or one of @p known. @throws as sizeIn()
std::string choiceIn(const contract::JsonConfig& config, std::string_view key, const std::string& otherwise,
    const std::vector<std::string>& known);

/// @param what, ofWhat names of the two numbers in the message
/// @throws EngineError WrongUsage unless @p value ≥ 1 is a multiple of @p divisor ≥ 1.
void requireMultiple(const char* what, std::int64_t value, const char* ofWhat, std::int64_t divisor);

}  // namespace engine
