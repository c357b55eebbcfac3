// Tokens that are matched in the text before it is divided into words, such as <|im_start|>.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct AddedToken {
    std::string content;  ///< UTF-8
    std::int64_t id = 0;
    bool isSpecial = true;      ///< left out when ids become text
    bool isNormalized = false;  ///< matched in the normalized text, else in the text as it was given
    bool takesSpaceBefore = false;  ///< white space beside it belongs to it ("lstrip", "rstrip" in files)
    bool takesSpaceAfter = false;
};

/// A piece of text between added tokens, or one of them.
struct TextSegment {
    std::u32string_view text;
    std::optional<std::int64_t> token;  ///< id; then the text is what it was matched in
};

class AddedTokenMatcher {
public:
    /// A token without content is never matched.
    explicit AddedTokenMatcher(const std::vector<AddedToken>& tokens);

    /// From left to right, at each place the longest token. Segments are in order and none is empty.
    std::vector<TextSegment> split(std::u32string_view text) const;

private:
    struct Token {
        std::u32string content;
        std::int64_t id = 0;
        bool takesSpaceBefore = false;
        bool takesSpaceAfter = false;
    };

    const Token* longestAt(std::u32string_view text) const;

    std::map<char32_t, std::vector<Token>> m_byFirstCharacter;  ///< longest first
};

}  // namespace engine
