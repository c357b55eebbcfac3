#include "engine/emoji/emoji_font.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kMaxGlyphs = 65536;  // maximum in a font
constexpr char32_t kEmojiPresentation = 0xFE0F;  // variation selector that asks for colour; these fonts have no glyph for it

[[noreturn]] void throwDamaged(const std::string& fault) { throw std::runtime_error("is damaged: " + fault); }

/// Returns the glyphs of a coverage table, in its order.
std::vector<std::uint32_t> coveredGlyphs(const FontTable& coverage)
{
    std::vector<std::uint32_t> glyphs;
    const bool isList = coverage.u16(0) == 1;
    for (std::uint32_t index = 0; index < coverage.u16(2); ++index) {
        const std::uint64_t offset = 4 + std::uint64_t {index} * (isList ? 2 : 6);
        const std::uint32_t last = isList ? coverage.u16(offset) : coverage.u16(offset + 2);
        for (std::uint32_t glyph = coverage.u16(offset); glyph <= last; ++glyph)
            glyphs.push_back(glyph);
        if (glyphs.size() > kMaxGlyphs)
            throwDamaged("a table covers too many glyphs");
    }
    return glyphs;
}

}  // namespace

EmojiFont::EmojiFont(std::string content)
    : m_content(std::move(content))
{
    readGlyphs();
    readLigatures();
    readStrikes();
}

FontTable EmojiFont::table(const char* tag) const
{
    const FontTable font(m_content);
    for (std::uint64_t entry = 0; entry < font.u16(4); ++entry) {
        const std::uint64_t offset = 12 + entry * 16;
        if (font.bytes(offset, 4) == tag)
            return FontTable(font.bytes(font.u32(offset + 8), font.u32(offset + 12)));
    }
    throw std::runtime_error("has no table " + std::string(tag) + "; a colour font with PNG images is needed");
}

void EmojiFont::readGlyphs()
{
    const FontTable cmap = table("cmap");
    for (std::uint64_t entry = 0; entry < cmap.u16(2); ++entry) {
        const FontTable map = cmap.from(cmap.u32(4 + entry * 8 + 4));
        if (map.u16(0) != 12)
            continue;
        std::uint32_t next = 0;
        for (std::uint64_t group = 0; group < map.u32(12); ++group) {
            const std::uint64_t offset = 16 + group * 12;
            const std::uint32_t first = map.u32(offset);
            const std::uint32_t last = map.u32(offset + 4);
            if (first < next || last < first || last > 0x10FFFF)
                throwDamaged("its characters are not in order");
            next = last + 1;
            for (std::uint32_t character = first; character <= last; ++character)
                m_glyphs[character] = map.u32(offset + 8) + (character - first);
        }
    }
}

/// Adds the ligatures that begin with one glyph.
void EmojiFont::addLigatures(std::uint32_t first, const FontTable& set)
{
    for (std::uint64_t index = 0; index < set.u16(0); ++index) {
        const FontTable ligature = set.from(set.u16(2 + index * 2));
        Ligature entry {{}, ligature.u16(0)};
        for (std::uint64_t component = 1; component < ligature.u16(2); ++component)
            entry.after.push_back(ligature.u16(2 + component * 2));
        m_ligatures[first].push_back(std::move(entry));
        if (++m_ligatureCount > kMaxGlyphs)
            throwDamaged("it has too many ligatures");
    }
}

/// Reads the ligatures of all ligature lookups (type 4).
void EmojiFont::readLigatures()
{
    const FontTable substitutions = table("GSUB");
    const FontTable lookups = substitutions.from(substitutions.u16(8));
    for (std::uint64_t number = 0; number < lookups.u16(0); ++number) {
        const FontTable lookup = lookups.from(lookups.u16(2 + number * 2));
        for (std::uint64_t part = 0; lookup.u16(0) == 4 && part < lookup.u16(4); ++part) {
            const FontTable subtable = lookup.from(lookup.u16(6 + part * 2));
            std::uint64_t set = 0;
            for (const std::uint32_t first : coveredGlyphs(subtable.from(subtable.u16(2))))
                addLigatures(first, subtable.from(subtable.u16(6 + set++ * 2)));
        }
    }
}

void EmojiFont::readStrikes()
{
    const FontTable locations = table("CBLC");
    std::uint64_t strike = 0;  // the largest size, by pixels per em
    for (std::uint64_t size = 1; size < locations.u32(4); ++size) {
        if (locations.u8(8 + size * 48 + 44) > locations.u8(8 + strike * 48 + 44))
            strike = size;
    }
    const FontTable ranges = locations.from(locations.u32(8 + strike * 48));
    std::uint32_t next = 0;
    for (std::uint64_t range = 0; range < locations.u32(8 + strike * 48 + 8); ++range) {
        const std::uint32_t first = ranges.u16(range * 8);
        const std::uint32_t last = ranges.u16(range * 8 + 2);
        if (first < next || last < first)
            throwDamaged("its images are not in order");
        next = last + 1;
        const FontTable index = ranges.from(ranges.u32(range * 8 + 4));
        if (index.u16(0) != 1 || index.u16(2) != 17)
            throw std::runtime_error("stores its images in a way that is not supported (index format "
                + std::to_string(index.u16(0)) + ", image format " + std::to_string(index.u16(2)) + ")");
        for (std::uint32_t glyph = first; glyph <= last; ++glyph) {
            const std::uint32_t begin = index.u32(8 + (glyph - first) * 4);
            const std::uint32_t end = index.u32(8 + (glyph - first) * 4 + 4);
            if (end > begin)
                m_strikes[glyph] = {std::uint64_t {index.u32(4)} + begin, end - begin};
        }
    }
}

/// Returns the first matching ligature of the glyphs from @p offset on, or the first glyph alone, and advances @p offset
/// behind the glyphs that it replaces.
std::uint32_t EmojiFont::takeLigature(const std::vector<std::uint32_t>& glyphs, std::size_t& offset) const
{
    const std::uint32_t first = glyphs[offset++];
    const auto ligatures = m_ligatures.find(first);
    if (ligatures == m_ligatures.end())
        return first;
    for (const Ligature& ligature : ligatures->second) {
        if (ligature.after.size() > glyphs.size() - offset)
            continue;
        if (std::equal(ligature.after.begin(), ligature.after.end(), glyphs.begin() + static_cast<std::ptrdiff_t>(offset))) {
            offset += ligature.after.size();
            return ligature.glyph;
        }
    }
    return first;
}

std::optional<std::string_view> EmojiFont::png(const std::u32string& sequence) const
{
    std::vector<std::uint32_t> glyphs;
    for (const char32_t character : sequence) {
        if (character == kEmojiPresentation)
            continue;
        const auto glyph = m_glyphs.find(character);
        if (glyph == m_glyphs.end())
            return std::nullopt;
        glyphs.push_back(glyph->second);
    }
    if (glyphs.empty())
        return std::nullopt;
    std::size_t offset = 0;
    const auto strike = m_strikes.find(takeLigature(glyphs, offset));
    if (offset != glyphs.size() || strike == m_strikes.end())
        return std::nullopt;
    // Image format 17: five bytes of metrics, the size of the PNG, the PNG.
    const FontTable glyph(table("CBDT").bytes(strike->second.first, strike->second.second));
    return glyph.bytes(9, glyph.u32(5));
}

}  // namespace engine
