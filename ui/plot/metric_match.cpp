#include "ui/plot/metric_match.h"

#include <QStringList>

namespace ui {
namespace {

constexpr int kWhole = 1000;  ///< for a word that is in the name as it is
constexpr int kStart = 100;   ///< for a word at the beginning of a part of the name
constexpr int kNext = 5;      ///< for each character that follows the one before in the name, too

bool isStart(const QString& name, qsizetype at)
{
    return at == 0 || !name[at - 1].isLetterOrNumber();
}

std::optional<int> matchOfWord(const QString& word, const QString& name, const QString& title)
{
    const qsizetype first = name.indexOf(word, 0, Qt::CaseInsensitive);
    for (qsizetype at = first; at >= 0; at = name.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        if (isStart(name, at))
            return kWhole + kStart;
    }
    if (first >= 0 || title.contains(word, Qt::CaseInsensitive))
        return kWhole;
    int match = 0;
    qsizetype last = -1;
    for (const QChar letter : word) {
        const qsizetype at = name.indexOf(letter, last + 1, Qt::CaseInsensitive);
        if (at < 0)
            return std::nullopt;
        match += (at == last + 1 ? kNext : 0) + (isStart(name, at) ? kNext : 0);
        last = at;
    }
    return match;
}

}  // namespace

std::optional<int> metricMatch(const QString& query, const QString& name, const QString& title)
{
    int match = 0;
    const QStringList words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : words) {
        const auto found = matchOfWord(word, name, title);
        if (!found)
            return std::nullopt;
        match += *found;
    }
    return match;
}

}  // namespace ui
