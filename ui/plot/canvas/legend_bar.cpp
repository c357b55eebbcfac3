#include "ui/plot/canvas/legend_bar.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/base/plain_text.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

constexpr int kLegendSwatch = 16;
constexpr int kSwatchGap = 5;
constexpr int kLegendGap = 16;
constexpr int kRightMargin = 2;  ///< a glyph may be a little wider than its advance

}  // namespace

LegendBar::LegendBar(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void LegendBar::setLines(const std::vector<DrawnLine>& lines)
{
    m_lines = lines;
    m_entries.clear();
    for (std::size_t line = 0; line < lines.size(); ++line) {
        if (lines[line].isInLegend())
            m_entries.push_back(line);
    }
    m_readings.clear();
    updateDescription();
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
    const LineData& lineData = *m_lines[line].data;
    for (const Reading& reading : m_readings)
        if (reading.line == line)
            return formatValue(reading.smoothed.value_or(reading.raw), m_lines[line].unit);
    if (!m_readings.empty() || lineData.points.isEmpty())
        return {};
    const Curve& curve = lineData.smoothed.isEmpty() ? lineData.points.raw() : lineData.smoothed;
    return formatValue(curve.values().back(), m_lines[line].unit);
}

QString LegendBar::entryText(std::size_t line) const
{
    const std::size_t nonFinite = m_lines[line].data->points.raw().nonFinite().size();
    QString text = m_lines[line].name + QLatin1Char(' ') + valueOf(line);
    if (nonFinite > 0)
        text += tr("  × %1 not finite").arg(formatCount(static_cast<std::int64_t>(nonFinite)));
    return text;
}

void LegendBar::updateDescription()
{
    QStringList all;
    for (const std::size_t line : m_entries)
        all << entryText(line);
    setToolTip(plainToolTip(all.join(QLatin1Char('\n'))));
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(all.join(QStringLiteral("; ")));
}

void LegendBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFontMetrics metrics(font());
    const int baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
    int left = 0;
    m_ends.clear();
    for (std::size_t entry = 0; entry < m_entries.size(); ++entry) {
        const std::size_t line = m_entries[entry];
        QString name = m_lines[line].name;
        QString rest = entryText(line).mid(name.size());
        const bool isLast = entry + 1 == m_entries.size();
        const QString more = tr("+%1").arg(m_entries.size() - entry);
        const int room = width() - kRightMargin - left - kLegendSwatch - kSwatchGap
            - (isLast ? 0 : kLegendGap + metrics.horizontalAdvance(more));
        if (metrics.horizontalAdvance(name) + metrics.horizontalAdvance(rest) > room) {
            if (entry > 0) {
                painter.setPen(fadedText(palette()));
                if (left + metrics.horizontalAdvance(more) <= width() - kRightMargin)
                    painter.drawText(left, baseline, more);
                return;
            }
            // The name is shortened in its middle, since those of a sweep differ at their ends. A number is shown whole or not at all: half of one is
            // another number.
            if (metrics.horizontalAdvance(rest) > room)
                rest.clear();
            name = metrics.elidedText(name, Qt::ElideMiddle, room - metrics.horizontalAdvance(rest));
            if (metrics.horizontalAdvance(name) + metrics.horizontalAdvance(rest) > room)
                name.clear();
        }
        drawLineSample(painter, QPointF(left, height() / 2), kLegendSwatch, drawnPen(m_lines[line], palette()), drawnMarker(m_lines[line]));
        painter.setPen(palette().color(QPalette::Text));
        left += kLegendSwatch + kSwatchGap;
        painter.drawText(left, baseline, name);
        left += metrics.horizontalAdvance(name);
        painter.setPen(fadedText(palette()));
        painter.drawText(left, baseline, rest);
        left += metrics.horizontalAdvance(rest) + kLegendGap;
        m_ends.push_back(left);
    }
}

void LegendBar::contextMenuEvent(QContextMenuEvent* event)
{
    if (!m_offersLines || m_entries.empty())
        return;
    const auto entry = static_cast<std::size_t>(std::ranges::upper_bound(m_ends, event->x()) - m_ends.begin());
    QStringList runs;
    for (std::size_t other = 0; other < m_entries.size(); ++other) {
        if (entry == m_ends.size() || entry == other)
            runs << QString::fromStdString(m_lines[m_entries[other]].data->key.run);
    }
    runs.removeDuplicates();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu->addAction(runs.size() == 1 ? tr("&Line…") : tr("&Lines of all…")), &QAction::triggered, this,
        [this, runs] { Q_EMIT lineRequested(runs); });
    menu->popup(event->globalPos());
}

}  // namespace ui
