#include "ui/base/text_match.h"

#include <algorithm>

namespace ui {
namespace {

bool beginsWord(const QString& text, qsizetype at) { return at == 0 || !text[at - 1].isLetterOrNumber(); }

/// Of a word that stands in the text as it is.
std::optional<int> wholeScore(const QString& word, const QString& text)
{
    constexpr int kWhole = 1000, kWordBegin = 300, kTextBegin = 200, kWordEnd = 100, kMostDistance = 100;
    std::optional<int> best;
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        const qsizetype end = at + word.size();
        int score = kWhole - static_cast<int>(std::min<qsizetype>(at, kMostDistance));
        score += beginsWord(text, at) ? kWordBegin : 0;
        score += at == 0 ? kTextBegin : 0;
        score += end == text.size() || !text[end].isLetterOrNumber() ? kWordEnd : 0;
        best = std::max(best.value_or(score), score);
    }
    return best;
}

/// Of a word whose letters stand in the text in their order: the beginnings of words count most, then letters that follow each other.
std::optional<int> lettersScore(const QString& word, const QString& text)
{
    constexpr int kWordBegin = 40, kNext = 25, kGap = 2, kMostGap = 20;
    int score = 0;
    qsizetype last = -1;
    for (const QChar letter : word) {
        qsizetype at = text.indexOf(letter, last + 1);
        if (at < 0)
            return std::nullopt;
        // A word that begins with the letter further on is what was meant, unless the letter follows at once.
        if (at != last + 1 || last < 0) {
            for (qsizetype later = at; later >= 0; later = text.indexOf(letter, later + 1)) {
                if (beginsWord(text, later)) {
                    at = later;
                    break;
                }
            }
        }
        score += beginsWord(text, at) ? kWordBegin : at == last + 1 ? kNext : -static_cast<int>(std::min<qsizetype>(kGap * (at - last), kMostGap));
        last = at;
    }
    return score;
}

}  // namespace

TextMatch::TextMatch(const QString& query)
    : m_words(query.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
{
}

std::optional<int> TextMatch::score(const QString& name, const QString& detail) const
{
    constexpr int kOfName = 500, kLeastPerLetter = 15, kLettersPerPoint = 4;
    int inName = 0, inDetail = 0;
    bool isName = true, isDetail = true;
    for (const QString& word : m_words) {
        const auto whole = wholeScore(word, name);
        const auto score = whole ? whole : lettersScore(word, name);
        // Letters that lie scattered about a long name match anything.
        isName = isName && score && *score >= kLeastPerLetter * static_cast<int>(word.size());
        inName += kOfName + score.value_or(0);
        const auto said = wholeScore(word, detail);
        isDetail = isDetail && said;
        inDetail += said.value_or(0);
    }
    if (!isName && !isDetail)
        return std::nullopt;
    const int score = !isDetail ? inName : !isName ? inDetail : std::max(inName, inDetail);
    return score - static_cast<int>(name.size()) / kLettersPerPoint;
}

}  // namespace ui
