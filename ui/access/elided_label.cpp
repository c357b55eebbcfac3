#include "ui/access/elided_label.h"

#include <QPainter>

namespace ui {

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    const QRect place = contentsRect();
    painter.drawText(place, static_cast<int>(alignment()) | Qt::TextSingleLine, fontMetrics().elidedText(text(), Qt::ElideRight, place.width()));
}

}  // namespace ui
