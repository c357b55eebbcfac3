#include "ui/gallery/image_fit.h"

#include <algorithm>
#include <cmath>

namespace ui {

QRectF imageRect(const QSize& size, const QRectF& area)
{
    const double fit = std::min(area.width() / size.width(), area.height() / size.height());
    const double scale = fit >= 1 ? std::floor(fit) : fit;
    const QSizeF scaled(std::round(size.width() * scale), std::round(size.height() * scale));
    return {std::round(area.x() + (area.width() - scaled.width()) / 2), std::round(area.y() + (area.height() - scaled.height()) / 2),
        scaled.width(), scaled.height()};
}

}  // namespace ui
