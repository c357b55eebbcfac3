// Caption augmentation: dropout and shuffling, applied each time an image is used.
#pragma once
#include "engine/shard/random.h"

#include <cstdint>
#include <string>

namespace engine {

struct CaptionRules {
    double dropout = 0;           ///< probability of an empty caption, which classifier-free guidance needs
    bool isShuffled = false;      ///< whether the parts between separators are shuffled
    std::string separator = ",";
    std::int64_t fixedParts = 0;   ///< number of first parts that are not shuffled
};

/// Applies dropout and shuffling to a caption. The result depends only on the arguments; @p row is the row in the global batch.
/// When parts are shuffled, they are trimmed, empty ones are left out, and a space follows each separator.
/// @throws std::invalid_argument when parts are to be shuffled and the separator is empty.
std::string augmentedCaption(
    const std::string& caption, const CaptionRules& rules, std::uint64_t seed, std::uint64_t step, std::uint64_t row);

}  // namespace engine
