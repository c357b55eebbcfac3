#include "ui/logs/log_search.h"

#include "engine/contract/run/log_time.h"

#include <cstdint>
#include <cstring>


namespace ui {
namespace {

constexpr std::size_t kTextBytes = 16 << 10;

bool isAscii(std::string_view line)
{
    std::uint64_t bits = 0;
    for (; line.size() >= sizeof bits; line.remove_prefix(sizeof bits)) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, line.data(), sizeof bytes);
        bits |= bytes;
    }
    for (const char byte : line)
        bits |= static_cast<unsigned char>(byte);
    return (bits & 0x8080808080808080U) == 0;
}

/// @param at after "["; moves behind the "]". @return false for a class that may contain a newline, or that is not understood.
bool skipClass(const QString& pattern, qsizetype& at)
{
    const qsizetype first = at;
    for (; at < pattern.size(); ++at) {
        const QChar character = pattern[at];
        if (character == u']' && at > first) {
            ++at;
            return true;
        }
        const bool isNegated = at == first && character == u'^';
        const bool hasName = character == u'[' && at + 1 < pattern.size() && QStringView(u":.=").contains(pattern[at + 1]);
        if (isNegated || hasName || character < u' ')
            return false;
        if (character == u'\\' && (++at == pattern.size() || (pattern[at].isLetterOrNumber() && !QStringView(u"dwh").contains(pattern[at]))))
            return false;
    }
    return false;
}

}  // namespace

bool staysWithinLines(const QString& pattern)
{
    for (qsizetype at = 0; at < pattern.size();) {
        const QChar character = pattern[at++];
        const QStringView rest = QStringView(pattern).sliced(at);
        if (character < u' ')
            return false;
        if (character == u'[' && !skipClass(pattern, at))
            return false;
        if (character == u'(' && (rest.startsWith(u'*') || (rest.startsWith(u'?') && !rest.startsWith(u"?:"))))
            return false;
        if (character == u'\\') {
            if (rest.isEmpty() || (rest[0].isLetterOrNumber() && !QStringView(u"dwhtSbB").contains(rest[0])))
                return false;
            ++at;
        }
    }
    return true;
}

LogSearch::LogSearch(const LogFilter& filter)
    : m_matcher(filter.matcher())
{
    if (!filter.isRegex || filter.text.isEmpty() || !staysWithinLines(filter.text))
        return;
    m_isOfMany = true;
    m_required = std::make_unique<TextFinder>(requiredText(filter.text));
    m_pattern = filter.expression();
    m_pattern.setPatternOptions(QRegularExpression::MultilineOption);
    m_pattern.optimize();
}

void LogSearch::add(std::string_view line, bool& matches)
{
    if (!m_isOfMany) {
        matches = m_matcher(line);
        return;
    }
    if (!m_required->isIn(line))
        return;
    const std::string_view shown = contract::shownLogLine(line, m_buffer);
    // Only in ASCII is a line among others decoded as it is alone, whatever its bytes.
    if (!isAscii(shown)) {
        matches = m_matcher(line);
        return;
    }
    m_text.append(shown).append("\n");
    m_waiting.push_back({line, &matches});
    if (m_text.size() >= kTextBytes)
        finish();
}

void LogSearch::finish()
{
    const QString text = QString::fromLatin1(m_text.data(), qsizetype(m_text.size()));
    qsizetype begin = 0;  // of the line, in the text
    for (std::size_t line = 0; line < m_waiting.size(); ++line) {
        const QRegularExpressionMatch match = m_pattern.match(text, begin);
        if (!match.isValid()) {
            // Given up, by one line's fault. Alone the others take a part of the time that is allowed for a match.
            for (; line < m_waiting.size(); ++line)
                *m_waiting[line].matches = m_matcher(m_waiting[line].line);
            break;
        }
        if (!match.hasMatch() || match.capturedStart() == text.size())  // "\B" matches behind the last newline
            break;
        for (qsizetype end = text.indexOf(u'\n', begin); end < match.capturedStart(); end = text.indexOf(u'\n', begin), ++line)
            begin = end + 1;
        *m_waiting[line].matches = true;
        begin = text.indexOf(u'\n', begin) + 1;
    }
    m_text.clear();
    m_waiting.clear();
}

}  // namespace ui
