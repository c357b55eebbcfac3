// Unicode's list of emoji, emoji-test.txt.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct Emoji {
    std::u32string sequence;
    std::string name;  ///< "grinning face"
};

/// The fully-qualified ones, in the list's order.
/// @throws std::runtime_error naming the line that is malformed, without the file's name.
std::vector<Emoji> parseEmojiNames(std::string_view list);

}  // namespace engine
