// Reads the images of a colour font that stores PNGs, such as Noto Color Emoji.
#pragma once
#include "engine/emoji/font_table.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

/// Reads OpenType's tables cmap (format 12), GSUB (ligatures), CBLC (index format 1) and CBDT (image format 17).
class EmojiFont {
public:
    /// @param content the font file's bytes
    /// @throws std::runtime_error, without the file's name, when the font lacks one of these tables or is damaged.
    explicit EmojiFont(std::string content);
    EmojiFont(const EmojiFont&) = delete;
    EmojiFont& operator=(const EmojiFont&) = delete;

    /// Returns the PNG data for a sequence of characters, in the font's largest size; nullopt when the font has no single glyph
    /// for the whole sequence. The view is valid while this object lives. @throws as the constructor.
    std::optional<std::string_view> png(const std::u32string& sequence) const;

private:
    struct Ligature {
        std::vector<std::uint32_t> after;  ///< the glyphs after the first one
        std::uint32_t glyph = 0;           ///< the glyph that replaces them all
    };

    FontTable table(const char* tag) const;
    void readGlyphs();
    void addLigatures(std::uint32_t first, const FontTable& set);
    void readLigatures();
    void readStrikes();
    std::uint32_t takeLigature(const std::vector<std::uint32_t>& glyphs, std::size_t& offset) const;

    std::string m_content;
    std::map<char32_t, std::uint32_t> m_glyphs;
    std::map<std::uint32_t, std::vector<Ligature>> m_ligatures;  ///< by first glyph, in the font's order
    std::size_t m_ligatureCount = 0;
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> m_strikes;  ///< offset and size in CBDT, by glyph
};

}  // namespace engine
