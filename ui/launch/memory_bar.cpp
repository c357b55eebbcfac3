#include "ui/launch/memory_bar.h"

#include "ui/base/look.h"

#include <QPainter>

#include <algorithm>

namespace ui {

QColor partColour(std::size_t index, const QPalette& palette) { return lineColour(int(index), palette); }

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

QSize MemoryBar::sizeHint() const { return {200, 2 * fontMetrics().height()}; }

void MemoryBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const double scale = area.width() / double(std::max<std::int64_t>({1, m_forecast.rankBytes(), m_forecast.freeBytes}));
    painter.fillRect(area, palette().color(QPalette::Base));
    double left = area.left();
    for (std::size_t i = 0; i < m_forecast.parts.size(); ++i) {
        if (m_forecast.parts[i].isOnHost)
            continue;
        const double width = double(m_forecast.parts[i].bytes) * scale;
        painter.fillRect(QRectF(left, area.top(), width, area.height()), partColour(i, palette()));
        left += width;
    }
    painter.setPen(fadedText(palette()));
    painter.drawRect(area);
    if (m_forecast.isEnough() || m_forecast.freeBytes <= 0)
        return;
    // Where the free memory ends.
    painter.setPen(QPen(palette().color(QPalette::Text), 2, Qt::DashLine));
    const double end = area.left() + double(m_forecast.freeBytes) * scale;
    painter.drawLine(QPointF(end, area.top()), QPointF(end, area.bottom()));
}

}  // namespace ui
