#include "engine/text/unigram.h"

#include "engine/text/unicode.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace engine {
namespace {

constexpr float kUnknownPenalty = 10.0F;  // subtracted from the score of the least likely piece

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The position after the character at @p position.
std::size_t nextCharacter(std::string_view text, std::size_t position)
{
    ++position;
    while (position < text.size() && isContinuation(text[position]))
        ++position;
    return position;
}

std::string bytePiece(unsigned byte)
{
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    return std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15U] + '>';
}

}  // namespace

Unigram::Unigram(SentencePieceModel model)
    : m_model(std::move(model))
    , m_normalizer(m_model)
{
    using Kind = SentencePiece::Kind;
    m_lowestScore = std::numeric_limits<float>::max();
    m_highestScore = std::numeric_limits<float>::lowest();
    m_ids.reserve(m_model.pieces.size());
    m_searchable.reserve(m_model.pieces.size());
    for (std::int64_t id = 0; id < size(); ++id) {
        const SentencePiece& piece = m_model.pieces[static_cast<std::size_t>(id)];
        m_ids.emplace(piece.text, id);
        if (piece.kind == Kind::Unknown)
            m_unknown = id;
        if (piece.kind == Kind::Normal) {
            m_lowestScore = std::min(m_lowestScore, piece.score);
            m_highestScore = std::max(m_highestScore, piece.score);
        }
        if (piece.kind == Kind::Normal || piece.kind == Kind::UserDefined) {
            m_searchable.emplace(piece.text, id);
            m_longest = std::max(m_longest, piece.text.size());
        }
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto piece = m_ids.find(bytePiece(byte));
        m_bytes[byte] = piece == m_ids.end() ? -1 : piece->second;
    }
}

/// A user-defined piece always scores higher than the pieces that it consists of.
float Unigram::scoreOf(std::int64_t id) const
{
    const SentencePiece& piece = m_model.pieces[static_cast<std::size_t>(id)];
    if (piece.kind == SentencePiece::Kind::UserDefined)
        return static_cast<float>(piece.text.size()) * m_highestScore - 0.1F;
    return piece.score;
}

/// Tries every piece that begins at @p position, or else the unknown one for a character.
void Unigram::extendFrom(std::size_t position, std::string_view text, std::vector<BestPath>& paths) const
{
    const float score = paths[position].score;
    const auto arrive = [&](std::size_t end, float newScore, std::int64_t id) {
        BestPath& path = paths[end];
        if (path.from == kNone || newScore > path.score)
            path = {newScore, position, id};
    };
    const std::size_t oneCharacter = nextCharacter(text, position);
    const std::size_t farthest = std::min(text.size(), position + m_longest);
    bool isCharacterCovered = false;
    for (std::size_t end = oneCharacter; end <= farthest; end = nextCharacter(text, end)) {
        const auto piece = m_searchable.find(text.substr(position, end - position));
        if (piece == m_searchable.end())
            continue;
        arrive(end, score + scoreOf(piece->second), piece->second);
        isCharacterCovered = isCharacterCovered || end == oneCharacter;
    }
    if (!isCharacterCovered)
        arrive(oneCharacter, score + (m_lowestScore - kUnknownPenalty), m_unknown);
}

void Unigram::append(std::string_view text, std::vector<std::int64_t>& ids) const
{
    const std::string normalized = m_normalizer(text);
    std::vector<BestPath> paths(normalized.size() + 1);
    for (std::size_t position = 0; position < normalized.size(); position = nextCharacter(normalized, position))
        extendFrom(position, normalized, paths);

    std::vector<std::pair<std::size_t, std::size_t>> cuts;  // begin and end of each piece; the last piece first
    for (std::size_t end = normalized.size(); end > 0; end = paths[end].from)
        cuts.emplace_back(paths[end].from, end);
    bool isAfterUnknown = false;
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
        const std::int64_t id = paths[cut->second].id;
        const bool isUnknown = id == m_unknown;
        if (isUnknown && m_model.fallsBackToBytes)
            appendUnknown(std::string_view(normalized).substr(cut->first, cut->second - cut->first), ids);
        else if (!isUnknown || !isAfterUnknown)
            ids.push_back(id);
        isAfterUnknown = isUnknown;
    }
}

void Unigram::appendUnknown(std::string_view text, std::vector<std::int64_t>& ids) const
{
    for (const char byte : text) {
        const std::int64_t id = m_bytes[static_cast<unsigned char>(byte)];
        ids.push_back(id < 0 ? m_unknown : id);
    }
}

std::string Unigram::text(const std::vector<std::int64_t>& ids) const
{
    using Kind = SentencePiece::Kind;
    constexpr std::string_view kWrittenSpace = "\u2581";
    std::string text;
    for (const std::int64_t id : ids) {
        if (id < 0 || id >= size())
            continue;
        const SentencePiece& piece = m_model.pieces[static_cast<std::size_t>(id)];
        if (const auto byte = std::find(m_bytes.begin(), m_bytes.end(), id); byte != m_bytes.end())
            text += static_cast<char>(byte - m_bytes.begin());
        else if (piece.kind != Kind::Unknown && piece.kind != Kind::Control)
            text += piece.text;
    }
    for (std::size_t position = text.find(kWrittenSpace); position != std::string::npos; position = text.find(kWrittenSpace, position))
        text.replace(position, kWrittenSpace.size(), 1, ' ');
    return utf8(codePoints(text.starts_with(' ') ? text.substr(1) : text));
}

std::optional<std::int64_t> Unigram::find(const std::string& piece) const
{
    const auto found = m_ids.find(piece);
    if (found == m_ids.end())
        return std::nullopt;
    return found->second;
}

}  // namespace engine
