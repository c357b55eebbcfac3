// Searches lines of a log, many at once where that gives the same: starting a regular expression takes longer than trying it on a line.
#pragma once
#include "ui/logs/log_filter.h"
#include "ui/logs/required_text.h"

#include <QRegularExpression>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

/// For one thread.
class LogSearch {
public:
    explicit LogSearch(const LogFilter& filter);

    /// Sets @p matches to LogFilter::matcher()'s answer for @p line, by finish() at the latest. Both must exist until then.
    void add(std::string_view line, bool& matches);
    void finish();

private:
    struct Waiting {
        std::string_view line;
        bool* matches = nullptr;
    };

    std::function<bool(std::string_view)> m_matcher;
    bool m_isOfMany = false;           ///< many lines can be searched at once
    std::unique_ptr<TextFinder> m_required;
    QRegularExpression m_pattern;      ///< finds the lines that match in a text of several
    std::string m_text;                ///< the waiting lines as they are shown, each with a newline
    std::vector<Waiting> m_waiting;
    std::string m_buffer;
};

/// True when a match of the regular expression @p pattern never has a newline and does not depend on the lines around it, where "^" and "$"
/// stand for a line's ends. Knows the common parts of expressions and is false for others.
bool staysWithinLines(const QString& pattern);

}  // namespace ui
