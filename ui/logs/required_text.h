// A text without which a regular expression cannot match. Looking for it first is much faster than trying the expression.
#pragma once
#include <QString>

#include <functional>
#include <string>
#include <string_view>

namespace ui {

/// The longest ASCII text found that is part of every match of the regular expression @p pattern; empty when none was found. Knows the
/// common parts of expressions and gives up at others, such as options within the pattern.
std::string requiredText(const QString& pattern);

/// Tells which lines of a log have a text, by their bytes.
class TextFinder {
public:
    /// @param text of lines as they are shown. Their times are shown in another zone than written, so characters at its beginning that
    /// may be part of a time are not looked for.
    explicit TextFinder(std::string text);
    TextFinder(const TextFinder&) = delete;
    TextFinder& operator=(const TextFinder&) = delete;

    bool isIn(std::string_view line) const;  ///< true for all lines when there is no text

private:
    std::string m_text;
    std::boyer_moore_horspool_searcher<std::string::const_iterator> m_searcher;
};

}  // namespace ui
