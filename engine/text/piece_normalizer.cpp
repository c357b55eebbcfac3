#include "engine/text/piece_normalizer.h"

#include "engine/text/sentencepiece_file.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace engine {
namespace {

constexpr std::string_view kSpace = "\u2581";
constexpr std::size_t kMostNormalizedBytes = std::size_t {1} << 22;

// One unit of the double array.
bool hasLeaf(std::uint32_t unit) { return (unit >> 8 & 1U) != 0; }
std::uint32_t leafValue(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }
std::uint32_t unitLabel(std::uint32_t unit) { return unit & 0x800000FFU; }
std::uint32_t childOffset(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200U) >> 6); }

std::size_t firstCharacterLength(std::string_view text)
{
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
        ++length;
    return length;
}

}  // namespace

PieceNormalizer::PieceNormalizer(const SentencePieceModel& model)
    : m_addsSpaceBefore(model.addsSpaceBefore)
    , m_removesExtraSpaces(model.removesExtraSpaces)
{
    for (const SentencePiece& piece : model.pieces) {
        if (piece.kind == SentencePiece::Kind::UserDefined)
            m_userDefined.push_back(piece.text);
    }
    std::stable_sort(m_userDefined.begin(), m_userDefined.end(),
        [](const std::string& a, const std::string& b) { return a.size() > b.size(); });

    const std::string_view map = model.charactersMap;
    if (map.empty())
        return;
    std::uint32_t size = 0;
    if (map.size() > sizeof(size))
        std::memcpy(&size, map.data(), sizeof(size));
    if (size == 0 || size % sizeof(std::uint32_t) != 0 || size > map.size() - sizeof(size))
        throw std::runtime_error("has a character map with inconsistent sizes");
    m_trie.resize(size / sizeof(std::uint32_t));
    std::memcpy(m_trie.data(), map.data() + sizeof(size), size);
    m_replacements = map.substr(sizeof(size) + size);
}

std::optional<PieceNormalizer::Replacement> PieceNormalizer::longestMatch(std::string_view text) const
{
    std::optional<Replacement> longest;
    if (m_trie.empty())
        return longest;
    std::size_t node = childOffset(m_trie[0]);
    for (std::size_t length = 1; length <= text.size(); ++length) {
        const auto byte = static_cast<unsigned char>(text[length - 1]);
        node ^= byte;
        if (node >= m_trie.size() || unitLabel(m_trie[node]) != byte)
            break;
        const bool isEnd = hasLeaf(m_trie[node]);
        node ^= childOffset(m_trie[node]);
        if (node >= m_trie.size())
            break;
        const std::size_t place = isEnd ? leafValue(m_trie[node]) : m_replacements.size();
        if (place < m_replacements.size())
            longest = Replacement {length, m_replacements.c_str() + place};  // up to NUL
    }
    return longest;
}

PieceNormalizer::Replacement PieceNormalizer::nextReplacement(std::string_view text) const
{
    for (const std::string& piece : m_userDefined) {
        if (text.starts_with(piece))
            return {piece.size(), text.substr(0, piece.size())};
    }
    if (const auto mapped = longestMatch(text))
        return *mapped;
    const std::string_view character = text.substr(0, firstCharacterLength(text));
    const bool isSpace = isWhitespace(codePoints(character).front());
    return {character.size(), isSpace ? " " : character};
}

std::string PieceNormalizer::operator()(std::string_view text) const
{
    std::string normalized;
    if (text.empty())
        return normalized;
    if (m_addsSpaceBefore)
        normalized = kSpace;
    bool isAfterSpace = m_removesExtraSpaces;
    while (!text.empty()) {
        const Replacement mapped = nextReplacement(text);
        text.remove_prefix(mapped.length);
        for (const char byte : mapped.by) {
            if (byte != ' ')
                normalized += byte;
            else if (!isAfterSpace)
                normalized += kSpace;
            isAfterSpace = m_removesExtraSpaces && byte == ' ';
        }
        if (normalized.size() > kMostNormalizedBytes)
            throw std::runtime_error("the character map makes this text too long");
    }
    while (m_removesExtraSpaces && normalized.ends_with(kSpace))
        normalized.resize(normalized.size() - kSpace.size());
    return normalized;
}

}  // namespace engine
