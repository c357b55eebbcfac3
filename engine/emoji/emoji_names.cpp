#include "engine/emoji/emoji_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace engine {
namespace {

/// Parses code points such as "1F468 200D 1F680 "; nullopt when the text is malformed.
std::optional<std::u32string> sequenceFrom(std::string_view text)
{
    std::u32string sequence;
    while (!text.empty()) {
        if (text.front() == ' ') {
            text.remove_prefix(1);
            continue;
        }
        std::uint32_t character = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), character, 16);
        if (error != std::errc() || character > 0x10FFFF)
            return std::nullopt;
        sequence += static_cast<char32_t>(character);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return sequence;
}

/// Returns the name after the emoji and its version in a comment: "# 😀 E1.0 grinning face".
std::string nameFrom(std::string_view comment)
{
    std::size_t word = 0;
    for (int skipped = 0; skipped < 3 && word != std::string_view::npos; ++skipped)
        word = comment.find_first_not_of(' ', comment.find(' ', word));
    return word == std::string_view::npos ? std::string() : std::string(comment.substr(word));
}

}  // namespace

std::vector<Emoji> parseEmojiNames(std::string_view list)
{
    std::vector<Emoji> emoji;
    for (int number = 1; !list.empty(); ++number) {
        const std::size_t end = std::min(list.find('\n'), list.size());
        const std::string_view line = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        const std::size_t semicolon = line.find(';');
        const std::size_t comment = line.find('#');
        if (semicolon == std::string_view::npos || comment == std::string_view::npos || comment < semicolon)
            continue;
        if (line.substr(semicolon, comment - semicolon).find(" fully-qualified ") == std::string_view::npos)
            continue;
        const auto sequence = sequenceFrom(line.substr(0, semicolon));
        const std::string name = nameFrom(line.substr(comment));
        if (!sequence || sequence->empty() || name.empty())
            throw std::runtime_error("line " + std::to_string(number) + " is not an emoji with a name");
        emoji.push_back({*sequence, name});
    }
    return emoji;
}

}  // namespace engine
