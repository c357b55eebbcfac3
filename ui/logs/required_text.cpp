#include "ui/logs/required_text.h"

#include <algorithm>
#include <utility>

namespace ui {
namespace {

class Reader {
public:
    explicit Reader(const QString& pattern)
        : m_pattern(pattern)
    {
    }

    std::string longest()
    {
        while (m_isKnown && m_at < m_pattern.size())
            readPart();
        end();
        return m_isKnown ? m_longest : std::string();
    }

private:
    char16_t at(qsizetype index) const { return index < m_pattern.size() ? m_pattern[index].unicode() : u'\0'; }

    void readPart()
    {
        const char16_t character = at(m_at);
        switch (character) {
        case u'\\':
            return readEscape();
        case u'[':
            skipClass();
            return end();
        case u'(':
            skipGroup();
            return end();
        case u'|':  // either side may be what matches
        case u')':
            m_isKnown = false;
            return;
        case u'.':
        case u'^':
        case u'$':
            ++m_at;
            return end();
        case u'*':
        case u'?':
            return dropRepeated();
        case u'{':  // a number of times, or the character itself
            skipCount();
            return dropRepeated();
        case u'+':
            ++m_at;
            return end();
        default:
            ++m_at;
            return add(character);
        }
    }

    void add(char16_t character)
    {
        if (character > 0 && character < 128)
            m_text += static_cast<char>(character);
        else
            end();
    }

    /// What comes next need not follow directly.
    void end()
    {
        if (m_text.size() > m_longest.size())
            m_longest = m_text;
        m_text.clear();
    }

    /// The last character may be missing in a match.
    void dropRepeated()
    {
        if (at(m_at) == u'*' || at(m_at) == u'?')
            ++m_at;
        if (!m_text.empty())
            m_text.pop_back();
        end();
    }

    /// Skips "{2,5}", or a brace.
    void skipCount()
    {
        qsizetype close = m_at + 1;
        while ((at(close) >= u'0' && at(close) <= u'9') || at(close) == u',')
            ++close;
        m_at = at(close) == u'}' ? close + 1 : m_at + 1;
    }

    static bool isLetterOrDigit(char16_t character)
    {
        return (character >= u'0' && character <= u'9') || (character >= u'A' && character <= u'Z') || (character >= u'a' && character <= u'z');
    }

    void readEscape()
    {
        const char16_t escaped = at(m_at + 1);
        m_at += 2;
        if (!isLetterOrDigit(escaped))
            return add(escaped);
        constexpr std::u16string_view kOneCharacter = u"dDwWsSbBAZzGhHvVRtnrfae";
        m_isKnown = kOneCharacter.find(escaped) != std::u16string_view::npos;  // others have arguments, or change what follows
        end();
    }

    /// Of an escape within a class or a group; \Q, \E and \c change what the next characters mean.
    void skipEscape()
    {
        m_isKnown = m_isKnown && at(m_at + 1) != u'Q' && at(m_at + 1) != u'E' && at(m_at + 1) != u'c';
        m_at += 2;
    }

    void skipClass()
    {
        ++m_at;
        if (at(m_at) == u'^')
            ++m_at;
        for (bool isFirst = true; m_at < m_pattern.size() && (isFirst || at(m_at) != u']'); isFirst = false) {
            if (at(m_at) == u'\\')
                skipEscape();
            else if (at(m_at) == u'[' && (at(m_at + 1) == u':' || at(m_at + 1) == u'.' || at(m_at + 1) == u'='))
                skipNamedClass();
            else
                ++m_at;
        }
        ++m_at;
    }

    /// [:alpha:]
    void skipNamedClass()
    {
        qsizetype end = m_at + 2;
        while (isLetterOrDigit(at(end)) || at(end) == u'^')
            ++end;
        m_isKnown = m_isKnown && at(m_at + 1) == u':' && at(end) == u':' && at(end + 1) == u']';
        m_at = end + 2;
    }

    /// Skips a group with all groups in it.
    void skipGroup()
    {
        int depth = 0;
        do {
            const char16_t character = at(m_at);
            if (character == u'[') {
                skipClass();
                continue;
            }
            if (character == u'\\') {
                skipEscape();
                continue;
            }
            if (character == u'(')
                m_isKnown = m_isKnown && isPlainGroup();
            depth += character == u'(' ? 1 : character == u')' ? -1 : 0;
            ++m_at;
        } while (m_isKnown && depth > 0 && m_at < m_pattern.size());
    }

    /// No option, comment, condition or verb.
    bool isPlainGroup() const
    {
        constexpr std::u16string_view kKnown = u":=!<>|";
        return at(m_at + 1) != u'*' && (at(m_at + 1) != u'?' || (m_at + 2 < m_pattern.size() && kKnown.find(at(m_at + 2)) != std::u16string_view::npos));
    }

    const QString& m_pattern;
    qsizetype m_at = 0;
    bool m_isKnown = true;
    std::string m_text;  ///< that must follow directly so far
    std::string m_longest;
};

}  // namespace

std::string requiredText(const QString& pattern) { return Reader(pattern).longest(); }

TextFinder::TextFinder(std::string text)
    : m_text(text.substr(std::min(text.find_first_not_of("0123456789-+:. "), text.size())))
    , m_searcher(m_text.begin(), m_text.end())
{
}

bool TextFinder::isIn(std::string_view line) const
{
    return m_text.empty() || std::search(line.begin(), line.end(), m_searcher) != line.end();
}

}  // namespace ui
