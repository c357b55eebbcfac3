#include "ui/logs/log_filter.h"

#include "engine/contract/run/log_time.h"
#include "ui/logs/required_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace ui {
namespace {

char folded(char character)
{
    return character >= 'A' && character <= 'Z' ? char(character + ('a' - 'A')) : character;
}

bool isAscii(const QString& text)
{
    return std::all_of(text.begin(), text.end(), [](QChar character) { return character.unicode() < 128; });
}

/// Searches the bytes without decoding UTF-8, which takes about a second for a gigabyte of lines.
std::function<bool(std::string_view)> plainMatcher(const QString& text)
{
    struct Hash {
        std::size_t operator()(char character) const { return std::size_t(std::uint8_t(folded(character))); }
    };
    struct Equal {
        bool operator()(char a, char b) const { return folded(a) == folded(b); }
    };
    using Searcher = std::boyer_moore_horspool_searcher<std::string::const_iterator, Hash, Equal>;
    struct Needle {
        std::string text;
        Searcher searcher {text.begin(), text.end()};
    };
    const std::shared_ptr<Needle> needle(new Needle {text.toStdString()});
    return [needle](std::string_view line) {
        return std::search(line.begin(), line.end(), needle->searcher) != line.end();
    };
}

/// Searches what is shown of a line.
std::function<bool(std::string_view)> ofShown(std::function<bool(std::string_view)> matches)
{
    return [matches = std::move(matches), buffer = std::string()](std::string_view line) mutable {
        return matches(contract::shownLogLine(line, buffer));
    };
}

}  // namespace

QString LogFilter::problem() const
{
    const QRegularExpression pattern(text);
    if (text.isEmpty() || !isRegex || pattern.isValid())
        return {};
    return QCoreApplication::translate(
        "ui::LogFilter", "The search text is not a valid regular expression: %1 at character %2.")
        .arg(pattern.errorString())
        .arg(pattern.patternErrorOffset() + 1);
}

QRegularExpression LogFilter::expression() const
{
    // Some expressions would try for years whether one line matches. With this bound, which takes a millisecond to reach, such
    // a line does not match.
    if (isRegex)
        return QRegularExpression(QStringLiteral("(*LIMIT_MATCH=100000)") + text);
    return QRegularExpression(
        QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption);
}

std::function<bool(std::string_view)> LogFilter::matcher() const
{
    if (text.isEmpty())
        return [](std::string_view) { return true; };
    if (!isRegex && isAscii(text))
        return ofShown(plainMatcher(text));
    QRegularExpression pattern = expression();
    pattern.optimize();
    const auto required = std::make_shared<const TextFinder>(isRegex ? requiredText(text) : std::string());
    return [required, matches = ofShown([pattern](std::string_view line) {
        return pattern.match(QString::fromUtf8(line.data(), qsizetype(line.size()))).hasMatch();
    })](std::string_view line) { return required->isIn(line) && matches(line); };
}

}  // namespace ui
