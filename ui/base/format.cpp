#include "ui/base/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

using namespace std::chrono;

QString text(const char* source)
{
    return QCoreApplication::translate("ui::Format", source);
}

QString nonFinite(double value)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
}

}  // namespace

QString formatNumber(double value, int digits)
{
    return std::isfinite(value) ? QLocale().toString(value, 'g', digits) : nonFinite(value);
}

QString formatExact(double value)
{
    return std::isfinite(value) ? QLocale().toString(value, 'g', QLocale::FloatingPointShortest)
                                : nonFinite(value);
}

QString formatCount(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

int pluralCount(std::int64_t count) { return static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max())); }

QString formatCounted(std::int64_t count, const QString& one, const QString& many)
{
    QString text = count == 1 ? one : many;
    if (count > pluralCount(count))
        text.replace(formatCount(pluralCount(count)), formatCount(count));
    return text.replace(QStringLiteral("%n"), formatCount(count));
}

QString formatPercent(double part, int decimals)
{
    return text(QT_TRANSLATE_NOOP("ui::Format", "%1 %")).arg(QLocale().toString(part * 100, 'f', decimals));
}

QString formatBytes(std::int64_t bytes, int decimals)
{
    return QLocale().formattedDataSize(bytes, bytes < 1000 ? 0 : decimals, QLocale::DataSizeSIFormat);
}

QString formatDuration(milliseconds duration)
{
    const auto count = duration.count();
    if (count < 1000)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 ms")).arg(count);
    const auto inAll = duration_cast<seconds>(duration).count();
    if (inAll < 60)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 s")).arg(inAll);
    if (inAll < 3600)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 min %2 s")).arg(inAll / 60).arg(inAll % 60);
    if (inAll < 86400)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 h %2 min")).arg(inAll / 3600).arg(inAll / 60 % 60);
    return text(QT_TRANSLATE_NOOP("ui::Format", "%1 d %2 h")).arg(inAll / 86400).arg(inAll / 3600 % 24);
}

QString formatAge(std::int64_t unixMs, std::int64_t nowUnixMs)
{
    const auto age = (nowUnixMs - unixMs) / 1000;
    if (age < 1)
        return text(QT_TRANSLATE_NOOP("ui::Format", "now"));
    if (age < 60)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 s ago")).arg(age);
    if (age < 3600)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 min ago")).arg(age / 60);
    if (age < 86400)
        return text(QT_TRANSLATE_NOOP("ui::Format", "%1 h ago")).arg(age / 3600);
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(unixMs).date(), QLocale::ShortFormat);
}

QString formatMoment(std::int64_t unixMs)
{
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(unixMs), QLocale::LongFormat);
}

}  // namespace ui
