#include "engine/text/tokenizer.h"

#include "engine/contract/formats/safetensors_header.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace engine {

std::vector<std::int64_t> Tokenizer::tokens(std::string_view text) const
{
    if (text.size() > kMaxTextBytes)
        throw std::runtime_error("a text of " + std::to_string(text.size()) + " bytes is too long for a tokenizer; at most "
            + std::to_string(kMaxTextBytes) + " bytes are supported");
    std::vector<std::int64_t> ids;
    const std::u32string unnormalized = codePoints(text);
    for (const TextSegment& segment : m_beforeNormalization->split(unnormalized)) {
        if (segment.token) {
            ids.push_back(*segment.token);
            continue;
        }
        const std::u32string normal = normalized(segment.text);
        for (const TextSegment& part : m_afterNormalization->split(normal)) {
            if (part.token)
                ids.push_back(*part.token);
            else
                appendTokens(part.text, ids);
        }
    }
    return ids;
}

std::vector<std::int64_t> Tokenizer::encoded(std::string_view text, std::int64_t maxLength) const
{
    const std::int64_t surrounding = surroundingTokens();
    if (maxLength < surrounding)
        throw std::invalid_argument("encoded: " + std::to_string(maxLength) + " tokens cannot hold the "
            + std::to_string(surrounding) + " tokens that surround every text");
    const std::vector<std::int64_t> inner = tokens(text);
    const auto count = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(static_cast<std::int64_t>(inner.size()), maxLength - surrounding));
    std::vector<std::int64_t> ids = m_before;
    ids.insert(ids.end(), inner.begin(), inner.begin() + count);
    ids.insert(ids.end(), m_after.begin(), m_after.end());
    return ids;
}

TokenBatch Tokenizer::encodedBatch(std::span<const std::string> texts, std::int64_t maxLength, Padding padding) const
{
    std::vector<std::vector<std::int64_t>> rows;
    std::size_t longest = 0;
    for (const std::string& text : texts) {
        rows.push_back(encoded(text, maxLength));
        longest = std::max(longest, rows.back().size());
    }
    TokenBatch batch;
    batch.rows = static_cast<std::int64_t>(rows.size());
    batch.length = padding == Padding::ToMaxLength ? maxLength : static_cast<std::int64_t>(longest);
    for (const auto& row : rows) {
        const std::size_t rest = static_cast<std::size_t>(batch.length) - row.size();
        if (rest > 0 && !m_specialIds.pad)
            throw std::runtime_error("this tokenizer has no padding token");
        batch.ids.insert(batch.ids.end(), row.begin(), row.end());
        batch.ids.insert(batch.ids.end(), rest, m_specialIds.pad.value_or(0));
        batch.mask.insert(batch.mask.end(), row.size(), 1);
        batch.mask.insert(batch.mask.end(), rest, 0);
    }
    return batch;
}

std::string Tokenizer::decoded(std::span<const std::int64_t> ids) const
{
    std::vector<std::int64_t> kept;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(kept), [&](std::int64_t id) { return !m_special.contains(id); });
    return textOf(kept);
}

std::int64_t Tokenizer::idOf(const std::string& token, const std::vector<AddedToken>& added) const
{
    const auto found = std::find_if(added.begin(), added.end(), [&](const AddedToken& one) { return one.content == token; });
    if (found != added.end())
        return found->id;
    if (const auto id = find(token))
        return *id;
    throw std::runtime_error("the special token " + contract::quotedName(token) + " is not in the vocabulary");
}

void Tokenizer::setTokens(const TokenizerConfig& config, std::int64_t vocabularySize)
{
    std::vector<AddedToken> added = config.addedTokens;
    const auto addSpecial = [&](const std::string& token) {
        const auto isIt = [&](const AddedToken& one) { return one.content == token; };
        const auto id = find(token);
        if (id && std::none_of(added.begin(), added.end(), isIt))
            added.push_back({token, *id});
    };
    for (const std::string& token : config.specialTokens)
        addSpecial(token);
    const auto special = [&](const std::string& token, std::optional<std::int64_t>& id) {
        if (token.empty())
            return;
        addSpecial(token);
        id = idOf(token, added);
        m_special.insert(*id);
    };
    special(config.padToken, m_specialIds.pad);
    special(config.beginToken, m_specialIds.begin);
    special(config.endToken, m_specialIds.end);
    special(config.unknownToken, m_specialIds.unknown);

    std::vector<AddedToken> asGiven;
    std::vector<AddedToken> afterNormalization;
    std::set<std::string> outside;
    for (AddedToken& token : added) {
        if (token.isSpecial)
            m_special.insert(token.id);
        if (!find(token.content))
            outside.insert(token.content);
        if (token.isNormalized) {
            token.content = utf8(normalized(codePoints(token.content)));
            afterNormalization.push_back(token);
        } else {
            asGiven.push_back(token);
        }
    }
    m_size = vocabularySize + static_cast<std::int64_t>(outside.size());
    m_beforeNormalization = std::make_unique<AddedTokenMatcher>(asGiven);
    m_afterNormalization = std::make_unique<AddedTokenMatcher>(afterNormalization);
}

void Tokenizer::setSurroundingTokens(std::vector<std::int64_t> before, std::vector<std::int64_t> after)
{
    m_before = std::move(before);
    m_after = std::move(after);
}

}  // namespace engine
