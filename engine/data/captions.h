// What is done to a caption each time its picture is seen.
#pragma once
#include "engine/shard/random.h"

#include <cstdint>
#include <string>

namespace engine {

struct CaptionRules {
    double dropout = 0;           ///< probability that the caption is empty, as guidance without one needs it
    bool isShuffled = false;      ///< the parts between separators change places
    std::string separator = ",";
    std::int64_t keptParts = 0;   ///< as many first parts stay where they are
};

/// Depends on the rules, the seed, the step and the row of the global batch alone. Where parts are shuffled, each is freed
/// from white space around it and a space follows each separator; empty parts are left out.
/// @throws std::invalid_argument when parts are to be shuffled and the separator is empty.
std::string captionSeen(
    const std::string& caption, const CaptionRules& rules, std::uint64_t seed, std::uint64_t step, std::uint64_t row);

}  // namespace engine
