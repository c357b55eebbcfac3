#include "ui/plot/legend_bar.h"

#include "ui/base/format.h"
#include "ui/base/look.h"

#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

constexpr int kLegendSwatch = 16;
constexpr int kLegendGap = 16;

}  // namespace

LegendBar::LegendBar(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void LegendBar::setLines(const std::vector<DrawnLine>& lines)
{
    m_lines = lines;
    m_readings.clear();
    describe();
    update();
}

void LegendBar::setReadings(const std::vector<Reading>& readings)
{
    m_readings = readings;
    update();
}

QSize LegendBar::sizeHint() const
{
    return {200, fontMetrics().height() + 4};
}

QSize LegendBar::minimumSizeHint() const
{
    return {40, sizeHint().height()};
}

QString LegendBar::valueOf(std::size_t line) const
{
    const LineData& shown = *m_lines[line].data;
    for (const Reading& reading : m_readings)
        if (reading.line == line)
            return formatValue(reading.smoothed.value_or(reading.raw), m_lines[line].unit, false);
    if (!m_readings.empty() || shown.points.isEmpty())
        return {};
    const Curve& curve = shown.smoothed.isEmpty() ? shown.points.raw() : shown.smoothed;
    return formatValue(curve.values().back(), m_lines[line].unit, false);
}

QString LegendBar::entryText(std::size_t line) const
{
    const std::size_t nonFinite = m_lines[line].data->points.raw().nonFinite().size();
    QString text = m_lines[line].name + QLatin1Char(' ') + valueOf(line);
    if (nonFinite > 0)
        text += tr("  × %1 not finite").arg(formatCount(static_cast<std::int64_t>(nonFinite)));
    return text;
}

void LegendBar::describe()
{
    QStringList all;
    for (std::size_t line = 0; line < m_lines.size(); ++line)
        all << entryText(line);
    setToolTip(all.join(QLatin1Char('\n')));
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(all.join(QStringLiteral(", ")));
}

void LegendBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFontMetrics metrics(font());
    const int baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
    int left = 0;
    for (std::size_t line = 0; line < m_lines.size(); ++line) {
        const QString value = valueOf(line);
        const QString rest = entryText(line).mid(m_lines[line].name.size());
        const int wide = kLegendSwatch + 5 + metrics.horizontalAdvance(m_lines[line].name) + metrics.horizontalAdvance(rest);
        const bool isLast = line + 1 == m_lines.size();
        const QString more = tr("+%1").arg(m_lines.size() - line);
        const int room = width() - left - (isLast ? 0 : kLegendGap + metrics.horizontalAdvance(more));
        if (wide > room && line > 0) {
            painter.setPen(fadedText(palette()));
            painter.drawText(left, baseline, more);
            return;
        }
        QPen pen = drawnPen(m_lines[line], palette());
        pen.setWidth(2);
        painter.setPen(pen);
        painter.drawLine(left, height() / 2, left + kLegendSwatch, height() / 2);
        painter.setPen(palette().color(QPalette::Text));
        left += kLegendSwatch + 5;
        painter.drawText(left, baseline, m_lines[line].name);
        left += metrics.horizontalAdvance(m_lines[line].name);
        painter.setPen(fadedText(palette()));
        painter.drawText(left, baseline, rest);
        left += metrics.horizontalAdvance(rest) + kLegendGap;
    }
}

}  // namespace ui
