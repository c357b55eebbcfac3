// Text as SentencePiece cuts it into pieces: characters mapped, spaces counted and written as U+2581. White space that the
// map does not know (U+0085) is a space too, as Hugging Face's tokenizers have it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct SentencePieceModel;

/// The map ("precompiled_charsmap") is a 32-bit size, a trie of that many bytes, and texts that end with NUL: the trie
/// leads from the beginning of a text, the longest that it knows, to the place of what stands for it. The trie is a double
/// array of 32-bit units (Aoe, "An efficient digital search algorithm by using a double-array structure", 1989).
class PieceNormalizer {
public:
    /// @throws std::runtime_error when the map's sizes contradict each other.
    explicit PieceNormalizer(const SentencePieceModel& model);

    /// @param text valid UTF-8.
    /// @throws std::runtime_error when the map makes the text absurdly long.
    std::string operator()(std::string_view text) const;

private:
    struct Mapped {
        std::size_t length = 0;  ///< bytes of the text that are replaced
        std::string_view by;
    };

    Mapped nextMapped(std::string_view text) const;
    std::optional<Mapped> inTrie(std::string_view text) const;

    std::vector<std::uint32_t> m_trie;
    std::string m_replacements;
    std::vector<std::string> m_userDefined;  ///< pieces that stay as they are; longest first
    bool m_addsSpaceBefore;
    bool m_removesExtraSpaces;
};

}  // namespace engine
