// What every model asks of its configuration.
#pragma once
#include "engine/contract/json_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// So that sizes of parameters cannot overflow, nor a description take much memory, whatever a file says.
constexpr std::int64_t kLargestSize = 1 << 20, kMostLayers = 1000, kLargestPatch = 64, kLargestWidth = 1 << 17;

/// A size from a config.json: 1 up to @p largest.
/// @throws std::runtime_error naming the file, the key and what it must be.
std::int64_t sizeIn(const contract::JsonConfig& config, std::string_view key,
    std::optional<std::int64_t> otherwise = {}, std::int64_t largest = kLargestSize);

/// One of @p known words. @throws like the above.
std::string choiceIn(const contract::JsonConfig& config, std::string_view key, const std::string& otherwise,
    const std::vector<std::string>& known);

/// @throws EngineError WrongUsage unless @p value ≥ 1 is a multiple of @p divisor ≥ 1
void requireMultiple(const char* what, std::int64_t value, const char* ofWhat, std::int64_t divisor);

}  // namespace engine
