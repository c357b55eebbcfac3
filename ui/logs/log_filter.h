// Which lines of a log are shown.
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
    bool isRegex = false;  ///< else plain text, in whatever case

    bool operator==(const LogFilter&) const = default;

    /// Empty, or why the expression is none.
    QString problem() const;
    /// The same search for painting what matched; not valid when there is no text.
    QRegularExpression expression() const;
    /// Whether a line's text passes. Bytes that are not UTF-8 match nothing but themselves.
    std::function<bool(std::string_view)> matcher() const;
};

}  // namespace ui
