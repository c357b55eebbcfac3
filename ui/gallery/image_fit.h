// Where an image is painted within an area.
#pragma once
#include <QRectF>
#include <QSize>

namespace ui {

/// The rectangle for an image of @p size, centred in @p area, in device pixels. Enlarges by whole factors only, so
/// that each image pixel stays a sharp square; reduces to fit.
QRectF imageRect(const QSize& size, const QRectF& area);

}  // namespace ui
