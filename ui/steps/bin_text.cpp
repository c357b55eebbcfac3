#include "ui/steps/bin_text.h"

#include "ui/base/format.h"
#include "ui/plot/plot_words.h"
#include "ui/steps/step_bins.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <cmath>

namespace ui {
namespace {

/// To a tenth of a second.
QString clockText(double seconds)
{
    const std::int64_t tenths = std::llround(seconds * 10), minutes = tenths / 600;
    const QString rest = QStringLiteral("%1%2%3").arg(tenths / 10 % 60, 2, 10, QLatin1Char('0')).arg(QLocale().decimalPoint()).arg(tenths % 10);
    return minutes < 60 ? QStringLiteral("%1:%2").arg(minutes).arg(rest)
                        : QStringLiteral("%1:%2:%3").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char('0')).arg(rest);
}

QString placeText(double x, XAxis axis)
{
    switch (axis) {
    case XAxis::Step:
    case XAxis::Samples:
        break;
    case XAxis::Epochs:
        return QLocale().toString(x, 'f', 3);
    case XAxis::ActiveTime:
        return clockText(x);
    case XAxis::WallTime: {
        const QDateTime time = QDateTime::fromMSecsSinceEpoch(std::llround(x * 1000));
        return QLocale().toString(time.date(), QLocale::ShortFormat) + QLatin1Char(' ') + time.time().toString(QStringLiteral("HH:mm:ss"));
    }
    }
    return formatCount(std::llround(x));
}

}  // namespace

QString binText(std::int64_t first, std::int64_t count, std::int64_t width, XAxis axis)
{
    const double unit = binUnit(axis);
    // The last step or sample is named, but where the last moment ends.
    const bool isCounted = axis == XAxis::Step || axis == XAxis::Samples;
    const auto begin = static_cast<double>(first * width) * unit, end = static_cast<double>((first + count) * width) * unit - (isCounted ? 1 : 0);
    const QString beginning = placeText(begin, axis);
    return begin == end ? beginning : QCoreApplication::translate("ui::ChartNumbers", "%1 to %2").arg(beginning, placeText(end, axis));
}

QString binWords(std::int64_t first, std::int64_t count, std::int64_t width, XAxis axis)
{
    const QString text = binText(first, count, width, axis);
    if (axis != XAxis::Step)
        return xAxisName(axis) + QLatin1Char(' ') + text;
    const char* const words = count * width == 1 ? QT_TRANSLATE_NOOP("ui::ChartNumbers", "step %1") : QT_TRANSLATE_NOOP("ui::ChartNumbers", "steps %1");
    return QCoreApplication::translate("ui::ChartNumbers", words).arg(text);
}

}  // namespace ui
