// Added tokens such as <|im_start|>, which are matched in the text before it is split into words.
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
    bool isSpecial = true;      ///< left out when ids are decoded to text
    bool isNormalized = false;  ///< matched in the normalized text; else in the original text
    bool takesSpaceBefore = false;  ///< also matches white space before it ("lstrip" in files)
    bool takesSpaceAfter = false;   ///< also matches white space after it ("rstrip" in files)
};

/// A piece of text between added tokens, or one added token.
struct TextSegment {
    std::u32string_view text;
    std::optional<std::int64_t> token;  ///< the token's id; @c text is then the text that it matched
};

class AddedTokenMatcher {
public:
    /// Tokens with empty content are never matched.
    explicit AddedTokenMatcher(const std::vector<AddedToken>& tokens);

    /// Splits text from left to right, matching the longest token at each position. Segments are in order and not empty.
    std::vector<TextSegment> split(std::u32string_view text) const;

private:
    struct Token {
        std::u32string content;
        std::int64_t id = 0;
        bool takesSpaceBefore = false;
        bool takesSpaceAfter = false;
    };

    const Token* longestAt(std::u32string_view text) const;

    std::map<char32_t, std::vector<Token>> m_byFirstCharacter;  ///< sorted by length, longest first
};

}  // namespace engine
