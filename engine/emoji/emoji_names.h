// Reads Unicode's list of emoji, emoji-test.txt.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct Emoji {
    std::u32string sequence;
    std::string name;  ///< "grinning face"
};

/// Returns the fully-qualified emoji of the list, in its order.
/// @throws std::runtime_error naming the malformed line, without the file's name.
std::vector<Emoji> parseEmojiNames(std::string_view list);

}  // namespace engine
