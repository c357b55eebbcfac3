#include "ui/gallery/picture_view.h"

#include "ui/base/look.h"
#include "ui/gallery/gallery_grid.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

PictureView::PictureView(QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setMinimumSize(120, 120);
}

void PictureView::setPicture(const LoadedPicture& picture)
{
    m_picture = picture;
    m_message = picture.error;
    update();
}

void PictureView::setMessage(const QString& message)
{
    m_picture = {};
    m_message = message;
    update();
}

void PictureView::setRealPixels(bool isReal)
{
    m_isRealPixels = isReal;
    m_offset = {};
    update();
}

QRectF PictureView::target() const
{
    const double ratio = devicePixelRatioF();
    const QRectF area(0, 0, std::floor(width() * ratio), std::floor(height() * ratio));
    if (m_picture.image.isNull())
        return {};
    if (!m_isRealPixels)
        return pictureRect(m_picture.image.size(), area);
    const QSizeF size = m_picture.image.size();
    const auto place = [](double room, double wanted, double offset) {
        const double slack = room - wanted;
        return slack >= 0 ? std::floor(slack / 2) : std::round(std::clamp(slack / 2 + offset, slack, 0.0));
    };
    return {place(area.width(), size.width(), m_offset.x()), place(area.height(), size.height(), m_offset.y()),
        size.width(), size.height()};
}

double PictureView::scale() const
{
    return m_picture.image.isNull() ? 1 : target().width() / m_picture.image.width();
}

void PictureView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_picture.image.isNull()) {
        painter.setPen(fadedText(palette()));
        painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap, m_message);
        return;
    }
    const double ratio = devicePixelRatioF();
    painter.scale(1 / ratio, 1 / ratio);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, scale() < 1);
    painter.drawImage(target(), m_picture.image);
}

void PictureView::mousePressEvent(QMouseEvent* event)
{
    m_dragged = event->position();
    QWidget::mousePressEvent(event);
}

void PictureView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isRealPixels && event->buttons().testFlag(Qt::LeftButton)) {
        m_offset += (event->position() - m_dragged) * devicePixelRatioF();
        m_dragged = event->position();
        update();
    }
    QWidget::mouseMoveEvent(event);
}

}  // namespace ui
