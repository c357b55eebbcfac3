// Normalizes text for SentencePiece: maps characters, collapses spaces and writes them as U+2581. White space that the map does
// not contain (U+0085) counts as a space too, as in Hugging Face's tokenizers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct SentencePieceModel;

/// The map ("precompiled_charsmap") consists of a 32-bit size, a trie of that many bytes, and NUL-terminated replacements. The
/// trie finds the longest known prefix of a text and the offset of its replacement. It is a double array of 32-bit units (Aoe,
/// "An efficient digital search algorithm by using a double-array structure", 1989).
class PieceNormalizer {
public:
    /// @throws std::runtime_error when the sizes in the map are inconsistent.
    explicit PieceNormalizer(const SentencePieceModel& model);

    /// Normalizes @p text, which must be valid UTF-8.
    /// @throws std::runtime_error when the map makes the text far too long.
    std::string operator()(std::string_view text) const;

private:
    struct Replacement {
        std::size_t length = 0;  ///< number of bytes that are replaced
        std::string_view by;
    };

    Replacement nextReplacement(std::string_view text) const;
    std::optional<Replacement> longestMatch(std::string_view text) const;

    std::vector<std::uint32_t> m_trie;
    std::string m_replacements;
    std::vector<std::string> m_userDefined;  ///< pieces that are not normalized; longest first
    bool m_addsSpaceBefore;
    bool m_removesExtraSpaces;
};

}  // namespace engine
