// The filter that selects the lines of a log to show.
#pragma once
#include "ui/logs/log_line.h"

#include <QRegularExpression>
#include <QString>

#include <functional>
#include <string_view>

namespace ui {

struct LogFilter {
    LogLevel minimumLevel = LogLevel::Unknown;
    QString text;          ///< empty: every line
    bool isRegex = false;  ///< false: `text` is plain text, compared without case

    bool operator==(const LogFilter&) const = default;

    /// A sentence that says what is wrong with the regular expression; empty when it is valid.
    QString problem() const;
    /// The search as a regular expression, for marking the matches in a line. Do not use it when `text` is empty.
    QRegularExpression expression() const;
    /// Returns a function for one thread that tells whether a line, as it is shown, matches `text`. Lines may contain bytes that are not valid UTF-8.
    std::function<bool(std::string_view)> matcher() const;
};

}  // namespace ui
