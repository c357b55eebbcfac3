#include "ui/runs/line_sample.h"

#include <QPainter>

#include <cmath>

namespace ui {

LineSample::LineSample(QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
}

void LineSample::setLook(const Look& look)
{
    m_look = look;
    update();
}

QSize LineSample::sizeHint() const
{
    return {20 * fontMetrics().averageCharWidth(), 4 * fontMetrics().height()};
}

void LineSample::paintEvent(QPaintEvent*)
{
    constexpr int kMargin = 8, kMarkerPixels = 60;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF curve, marked;
    for (int x = kMargin; x < width() - kMargin; ++x) {
        const double fall = std::exp(-4.0 * x / width());
        curve << QPointF(x, kMargin + (height() - 2 * kMargin) * (1 - fall * (1 + 0.06 * std::sin(x / 5.0))));
        if ((x - kMargin) % kMarkerPixels == kMarkerPixels / 2)
            marked << curve.back();
    }
    const QPen pen = linePen(m_look, palette());
    painter.setPen(pen);
    painter.drawPolyline(curve);
    drawMarkers(painter, marked, lineMarker(m_look), pen.color());
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace ui
