#include "ui/gallery/image_view.h"

#include "ui/base/look.h"
#include "ui/gallery/image_fit.h"
#include "ui/gallery/wrapped_text.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

ImageView::ImageView(QWidget* parent)
    : QWidget(parent)
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setMinimumSize(120, 120);
    setFocusPolicy(Qt::StrongFocus);
}

void ImageView::setImage(const LoadedImage& image)
{
    m_image = image;
    m_message = image.error;
    update();
}

void ImageView::setMessage(const QString& message)
{
    m_image = {};
    m_message = message;
    update();
}

void ImageView::setRealPixels(bool isReal)
{
    m_isRealPixels = isReal;
    m_offset = {};
    update();
}

void ImageView::setOffset(const QPointF& offset)
{
    m_offset = offset;
    update();
}

QRectF ImageView::target() const
{
    const double ratio = devicePixelRatioF();
    const QRectF area(0, 0, std::floor(width() * ratio), std::floor(height() * ratio));
    if (m_image.pixels.isNull())
        return {};
    if (!m_isRealPixels)
        return imageRect(m_image.pixels.size(), area);
    const QSizeF size = m_image.pixels.size();
    const auto place = [](double room, double extent, double offset) {
        const double slack = room - extent;
        return slack >= 0 ? std::floor(slack / 2) : std::round(std::clamp(slack / 2 + offset, slack, 0.0));
    };
    return {place(area.width(), size.width(), m_offset.x()), place(area.height(), size.height(), m_offset.y()),
        size.width(), size.height()};
}

bool ImageView::panBy(int key)
{
    constexpr double kPart = 0.1;  // of the view
    const QSizeF room(std::floor(width() * devicePixelRatioF()), std::floor(height() * devicePixelRatioF()));
    const QSizeF hidden = (target().size() - room).expandedTo({0, 0});
    if (!m_isRealPixels || m_image.pixels.isNull() || hidden.isNull())
        return false;
    QPointF offset = m_offset;
    switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        offset.rx() += (key == Qt::Key_Left ? kPart : -kPart) * room.width();
        break;
    case Qt::Key_Up:
    case Qt::Key_Down:
        offset.ry() += (key == Qt::Key_Up ? kPart : -kPart) * room.height();
        break;
    case Qt::Key_Home:
        offset = {hidden.width() / 2, hidden.height() / 2};
        break;
    case Qt::Key_End:
        offset = {-hidden.width() / 2, -hidden.height() / 2};
        break;
    default:
        return false;
    }
    setOffset({std::clamp(offset.x(), -hidden.width() / 2, hidden.width() / 2), std::clamp(offset.y(), -hidden.height() / 2, hidden.height() / 2)});
    Q_EMIT dragged();
    return true;
}

double ImageView::scale() const
{
    return m_image.pixels.isNull() ? 1 : target().width() / m_image.pixels.width();
}

void ImageView::focusInEvent(QFocusEvent*) { update(); }

void ImageView::focusOutEvent(QFocusEvent*) { update(); }

void ImageView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintPicture(painter);
    if (!hasFocus())
        return;
    painter.resetTransform();
    painter.setPen(palette().color(QPalette::Highlight));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void ImageView::paintPicture(QPainter& painter) const
{
    if (m_image.pixels.isNull()) {
        painter.setPen(fadedText(palette()));
        drawWrapped(painter, rect().adjusted(12, 12, -12, -12), m_message);
        return;
    }
    const double ratio = devicePixelRatioF();
    painter.scale(1 / ratio, 1 / ratio);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, scale() < 1);
    painter.drawImage(target(), m_image.pixels);
}

void ImageView::mousePressEvent(QMouseEvent* event)
{
    m_lastDragPosition = event->position();
    QWidget::mousePressEvent(event);
}

void ImageView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isRealPixels && event->buttons().testFlag(Qt::LeftButton)) {
        m_offset += (event->position() - m_lastDragPosition) * devicePixelRatioF();
        m_lastDragPosition = event->position();
        update();
        Q_EMIT dragged();
    }
    QWidget::mouseMoveEvent(event);
}

}  // namespace ui
