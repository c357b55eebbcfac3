#include "engine/text/added_tokens.h"

#include "engine/text/unicode.h"

#include <algorithm>

namespace engine {

AddedTokenMatcher::AddedTokenMatcher(const std::vector<AddedToken>& tokens)
{
    for (const AddedToken& token : tokens) {
        std::u32string content = codePoints(token.content);
        if (content.empty())
            continue;
        auto& group = m_byFirstCharacter[content.front()];
        group.push_back({std::move(content), token.id, token.takesSpaceBefore, token.takesSpaceAfter});
    }
    for (auto& [first, group] : m_byFirstCharacter)
        std::stable_sort(group.begin(), group.end(),
            [](const Token& a, const Token& b) { return a.content.size() > b.content.size(); });
}

const AddedTokenMatcher::Token* AddedTokenMatcher::longestAt(std::u32string_view text) const
{
    const auto group = m_byFirstCharacter.find(text.front());
    if (group == m_byFirstCharacter.end())
        return nullptr;
    for (const Token& token : group->second) {
        if (text.starts_with(token.content))
            return &token;
    }
    return nullptr;
}

std::vector<TextSegment> AddedTokenMatcher::split(std::u32string_view text) const
{
    std::vector<TextSegment> segments;
    std::size_t done = 0;
    for (std::size_t place = 0; place < text.size();) {
        const Token* token = longestAt(text.substr(place));
        if (!token) {
            ++place;
            continue;
        }
        std::size_t begin = place;
        std::size_t end = place + token->content.size();
        while (token->takesSpaceBefore && begin > done && isWhitespace(text[begin - 1]))
            --begin;
        while (token->takesSpaceAfter && end < text.size() && isWhitespace(text[end]))
            ++end;
        if (begin > done)
            segments.push_back({text.substr(done, begin - done), std::nullopt});
        segments.push_back({text.substr(begin, end - begin), token->id});
        done = place = end;
    }
    if (done < text.size())
        segments.push_back({text.substr(done), std::nullopt});
    return segments;
}

}  // namespace engine
