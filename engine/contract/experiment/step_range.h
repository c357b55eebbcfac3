// A range of steps, as in `--profile-steps 10..15`.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace contract {

struct StepRange {
    std::int64_t first = 1;  ///< counted from 1
    std::int64_t last = 1;   ///< inclusive
};

/// Parses "10..15", or "10" for a single step. Nullopt for anything else, for step 0 and for a descending range.
std::optional<StepRange> parseStepRange(std::string_view text);

}  // namespace contract
