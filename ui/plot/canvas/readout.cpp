#include "ui/plot/canvas/readout.h"

#include "engine/contract/formats/text.h"
#include "ui/base/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

/// nullopt farther beyond the ends of @p points than the distance between two of them there.
std::optional<Reading> readingAt(const LinePoints& points, double x, XAxis axis)
{
    const std::size_t index = points.nearest(x, axis);
    if (index == points.size())
        return {};
    const bool isLast = index + 1 == points.size();
    const double here = points.x(index, axis);
    const double gap = index > 0 ? here - points.x(index - 1, axis) : 1;
    if ((isLast && x > here + std::max(gap, 1e-9)) || (index == 0 && x < here - std::max(1.0, gap)))
        return {};
    return Reading {.x = here,
        .step = points.steps()[index],
        .attempt = points.attempt(index),
        .activeSeconds = points.x(index, XAxis::ActiveTime),
        .wallSeconds = points.x(index, XAxis::WallTime),
        .raw = points.raw().values()[index],
        .smoothed = {}};
}

}  // namespace

std::vector<Reading> readingsAt(const std::vector<DrawnLine>& lines, double x, XAxis axis)
{
    std::vector<Reading> readings;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        const LineData& data = *lines[line].data;
        auto reading = readingAt(lines[line].pointsWithin(axis, {x, x}), x, axis);
        if (!reading)
            continue;
        reading->line = line;
        if (const std::size_t index = data.points.nearest(x, axis); index < data.smoothed.size())
            reading->smoothed = data.smoothed.values()[index];
        readings.push_back(*reading);
    }
    const auto key = [](const Reading& reading) {
        const double value = reading.smoothed.value_or(reading.raw);
        return std::isfinite(value) ? value : -std::numeric_limits<double>::infinity();
    };
    std::stable_sort(readings.begin(), readings.end(),
        [&](const Reading& a, const Reading& b) { return key(a) > key(b); });
    return readings;
}

std::vector<Reading> supersededReadingsAt(const std::vector<DrawnLine>& lines, double x, XAxis axis)
{
    std::vector<Reading> readings;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        for (const LinePoints& points : lines[line].data->superseded) {
            if (auto reading = readingAt(points, x, axis)) {
                reading->line = line;
                reading->isSuperseded = true;
                readings.push_back(*reading);
            }
        }
    }
    return readings;
}

QString formatX(double x, XAxis axis)
{
    const std::int64_t whole = std::llround(x);
    switch (axis) {
    case XAxis::Step:
        return QCoreApplication::translate("ui::Plots", "step %1")
            .arg(formatCount(whole));
    case XAxis::Samples:
        return formatCounted(whole, QCoreApplication::translate("ui::Plots", "1 sample"),
            QCoreApplication::translate("ui::Plots", "%Ln samples", nullptr, pluralCount(whole)));
    case XAxis::Epochs:
        return QCoreApplication::translate("ui::Plots", "epoch %1").arg(QLocale().toString(x, 'f', 2));
    case XAxis::ActiveTime:
        return formatDuration(std::chrono::milliseconds(std::llround(x * 1000)));
    case XAxis::WallTime:
        return QLocale().toString(QDateTime::fromMSecsSinceEpoch(std::llround(x * 1000)), QLocale::ShortFormat);
    }
    return {};
}

QString formatRecorded(double value, Unit unit)
{
    if (std::isfinite(value) && unit == Unit::Bytes) {
        const QString digits = QString::number(static_cast<qint64>(std::min(std::abs(value), 1e18)));
        qsizetype decimals = (digits.size() - 1) / 3 * 3;  // as many as the unit has
        for (auto digit = digits.rbegin(); digit != digits.rend() && decimals > 0 && *digit == QLatin1Char('0'); ++digit)
            --decimals;
        return formatValue(value, unit, static_cast<int>(decimals) + 3);
    }
    if (std::isfinite(value) && unit == Unit::Share) {
        const QString digits = QString::number(value, 'f', QLocale::FloatingPointShortest);
        const qsizetype point = digits.indexOf(QLatin1Char('.'));
        return formatPercent(value, point < 0 ? 0 : std::max(static_cast<int>(digits.size() - point) - 3, 0));
    }
    return formatValue(value, unit, QLocale::FloatingPointShortest);
}

QString formatReading(double value, Unit unit, const Interval& visible)
{
    constexpr int kMinDigits = 4;
    constexpr int kMaxDigits = 15;
    const double greatest = std::max(std::abs(visible.lower), std::abs(visible.upper));
    // The visible part is under a thousand pixels high: its size is worth three digits.
    const double digits = visible.isEmpty() ? kMinDigits : std::ceil(std::log10(std::max(1.0, greatest / visible.size()))) + 3;
    return formatValue(value, unit, std::clamp(static_cast<int>(digits), kMinDigits, kMaxDigits));
}

QString readingsAsText(const std::vector<DrawnLine>& lines, const std::vector<Reading>& readings)
{
    QString all = QStringLiteral("line\tstep\tattempt\tsuperseded\tactive_s\ttime\tvalue\tsmoothed\n");
    for (const Reading& reading : readings) {
        const auto number = [](double value) { return QString::fromStdString(contract::shortestText(value)); };
        const QString time = QDateTime::fromMSecsSinceEpoch(std::llround(reading.wallSeconds * 1000), Qt::UTC)
                                 .toString(Qt::ISODateWithMs);
        const QStringList cells {lines[reading.line].name, QString::number(reading.step),
            QString::number(reading.attempt), reading.isSuperseded ? QStringLiteral("true") : QStringLiteral("false"), number(reading.activeSeconds), time, number(reading.raw),
            reading.smoothed ? number(*reading.smoothed) : QString()};
        all += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return all;
}

}  // namespace ui
