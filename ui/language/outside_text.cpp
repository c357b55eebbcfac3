#include "ui/language/outside_text.h"

#include "ui/language/outside_sentences.h"

#include <QCoreApplication>
#include <QHash>
#include <QLocale>
#include <QMutex>
#include <QRegularExpression>

#include <algorithm>
#include <vector>

namespace ui {
namespace {

constexpr char kContext[] = "outside";
constexpr int kDeepest = 4;           // sentences within sentences
constexpr qsizetype kMostKept = 5000;
constexpr qsizetype kLongest = 4000;  // what is longer is a log, not a sentence

struct Sentence {
    const char* source;
    QString beginning, end;  // around the first and the last %: cheap to compare
    QRegularExpression pattern;
    qsizetype fixedLength;
};

Sentence compiled(const char* source)
{
    static const QRegularExpression mark(QStringLiteral("%(\\d)"));
    const QString text = QString::fromUtf8(source);
    const qsizetype first = text.indexOf(mark), last = text.lastIndexOf(mark);
    QString pattern;
    qsizetype end = 0, marks = 0;
    for (auto matches = mark.globalMatch(text); matches.hasNext(); ++marks) {
        const auto match = matches.next();
        pattern += QRegularExpression::escape(text.mid(end, match.capturedStart() - end)) + QStringLiteral("(.+?)");
        end = match.capturedEnd();
    }
    pattern += QRegularExpression::escape(text.mid(end));
    return {source, text.left(first), last < 0 ? QString() : text.mid(last + 2),
        QRegularExpression(QRegularExpression::anchoredPattern(pattern), QRegularExpression::DotMatchesEverythingOption), text.size() - 2 * marks};
}

/// Those with marks, the most specific first.
const std::vector<Sentence>& patterns()
{
    static const std::vector<Sentence> all = [] {
        std::vector<Sentence> sentences;
        for (const auto part : {runSentences(), experimentSentences(), fileSentences()}) {
            for (const char* const source : part) {
                if (std::string_view(source).find('%') != std::string_view::npos)
                    sentences.push_back(compiled(source));
            }
        }
        std::ranges::stable_sort(sentences, std::greater(), &Sentence::fixedLength);
        return sentences;
    }();
    return all;
}

QString translated(const QString& english, int depth);

/// What stands for a mark: another sentence, a size ("1.2 GB") or anything else.
QString filledIn(QString part, int depth)
{
    static const QRegularExpression size(QStringLiteral("^\\d+\\.\\d+ [kMGT]?B$"));
    return size.match(part).hasMatch() ? part.replace(QLatin1Char('.'), QLocale().decimalPoint()) : translated(part, depth + 1);
}

QString translated(const QString& english, int depth)
{
    const QString whole = QCoreApplication::translate(kContext, english.toUtf8().constData());
    if (whole != english || depth == kDeepest || english.size() > kLongest)
        return whole;
    for (const Sentence& sentence : patterns()) {
        if (!english.startsWith(sentence.beginning) || !english.endsWith(sentence.end))
            continue;
        const auto match = sentence.pattern.match(english);
        if (!match.hasMatch())
            continue;
        QString text = QCoreApplication::translate(kContext, sentence.source);
        // From the last on, so that what is filled in is not taken for a mark.
        std::vector<std::pair<qsizetype, int>> marks;
        for (int number = 1; number <= match.lastCapturedIndex(); ++number)
            marks.emplace_back(text.indexOf(QLatin1Char('%') + QString::number(number)), number);
        std::ranges::sort(marks, std::greater());
        for (const auto& [place, number] : marks) {
            if (place >= 0)
                text.replace(place, 2, filledIn(match.captured(number), depth));
        }
        return text;
    }
    return english;
}

bool isEnglish()
{
    constexpr char kKnown[] = "trains";
    return QCoreApplication::translate(kContext, kKnown) == QLatin1String(kKnown);
}

}  // namespace

QString translatedSentence(std::string_view english)
{
    const QString text = QString::fromUtf8(english.data(), qsizetype(english.size()));
    if (text.isEmpty() || isEnglish())
        return text;
    static QMutex mutex;
    static QHash<QString, QString> kept;  // tables ask for the same sentences again and again
    const QMutexLocker lock(&mutex);
    if (const auto known = kept.constFind(text); known != kept.cend())
        return *known;
    if (kept.size() >= kMostKept)
        kept.clear();
    return *kept.insert(text, translated(text, 0));
}

QString translatedText(std::string_view english)
{
    return english.empty() ? QString() : QCoreApplication::translate("fixed", std::string(english).c_str());
}

}  // namespace ui
