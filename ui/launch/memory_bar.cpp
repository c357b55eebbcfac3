#include "ui/launch/memory_bar.h"

#include "ui/base/line_look.h"
#include "ui/base/look.h"

#include <QPainter>

#include <algorithm>

namespace ui {

QColor partColour(std::size_t index, const QPalette& palette)
{
    return index == 0 ? fadedText(palette) : lineColour(int(index) - 1, palette);  // the first one is the program itself
}

MemoryBar::MemoryBar(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MemoryBar::setForecast(const launcher::Forecast& forecast)
{
    m_forecast = forecast;
    update();
}

QSize MemoryBar::sizeHint() const { return {200, 3 * fontMetrics().height()}; }

/// @param whole bytes that the width of @p area stands for
void MemoryBar::paintParts(QPainter& painter, const QRectF& area, std::int64_t whole)
{
    painter.fillRect(area, palette().color(QPalette::Base));
    double left = area.left();
    for (std::size_t i = 0; i < m_forecast.parts.size(); ++i) {
        if (m_forecast.parts[i].isOnHost)
            continue;
        const double width = double(m_forecast.parts[i].bytes) * area.width() / double(whole);
        painter.fillRect(QRectF(left, area.top(), width, area.height()), partColour(i, palette()));
        left += width;
    }
    painter.setPen(fadedText(palette()));
    painter.drawRect(area);
}

void MemoryBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (!isEnabled())
        painter.setOpacity(0.4);
    const std::int64_t needed = std::max<std::int64_t>(1, m_forecast.rankBytes()), whole = std::max(needed, m_forecast.freeBytes);
    const QRectF all = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    paintParts(painter, QRectF(all.topLeft(), QSizeF(all.width(), all.height() * 0.45)), needed);
    const QRectF area(all.left(), all.top() + all.height() * 0.6, all.width(), all.height() * 0.4);
    paintParts(painter, area, whole);
    if (m_forecast.isEnough() || m_forecast.freeBytes <= 0)
        return;
    // Where the free memory ends.
    painter.setPen(QPen(palette().color(QPalette::Text), 2, Qt::DashLine));
    const double end = area.left() + double(m_forecast.freeBytes) * area.width() / double(whole);
    painter.drawLine(QPointF(end, area.top()), QPointF(end, area.bottom()));
}

}  // namespace ui
