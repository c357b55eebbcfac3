// Shows one image, either fitted to the view or with each image pixel as one screen pixel.
#pragma once
#include "ui/gallery/image_loader.h"

#include <QWidget>

namespace ui {

class ImageView : public QWidget {
    Q_OBJECT
public:
    explicit ImageView(QWidget* parent = nullptr);

    void setImage(const LoadedImage& image);
    void setMessage(const QString& message);  ///< shows a text instead of an image

    bool isRealPixels() const { return m_isRealPixels; }
    void setRealPixels(bool isReal);
    /// The rectangle that the image covers, in device pixels of this widget; null when there is no image.
    QRectF target() const;
    /// Screen pixels per image pixel: 1 is 100 %.
    double scale() const;

    /// How far the user has dragged an image that is larger than the view, in device pixels.
    QPointF offset() const { return m_offset; }
    void setOffset(const QPointF& offset);
    /// Moves a picture that is larger than the view by an arrow key, or to its first or last corner by Home or End.
    /// @return false: all of it is in sight, or @p key is another
    bool panBy(int key);

    QSize sizeHint() const override { return {420, 420}; }

Q_SIGNALS:
    void dragged();  ///< or moved by keys

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void paintPicture(QPainter& painter) const;

    LoadedImage m_image;
    QString m_message;
    bool m_isRealPixels = false;
    QPointF m_offset;
    QPointF m_lastDragPosition;
};

}  // namespace ui
