// Shows one picture: fitted, or each of its pixels as one of the screen's.
#pragma once
#include "ui/gallery/picture_loader.h"

#include <QWidget>

namespace ui {

class PictureView : public QWidget {
    Q_OBJECT
public:
    explicit PictureView(QWidget* parent = nullptr);

    void setPicture(const LoadedPicture& picture);
    void setMessage(const QString& message);  ///< in place of a picture

    bool isRealPixels() const { return m_isRealPixels; }
    void setRealPixels(bool isReal);
    /// Where the picture is, in device pixels of this widget.
    QRectF target() const;
    /// Screen pixels per picture pixel: 1 is 100 %.
    double scale() const;

    QSize sizeHint() const override { return {420, 420}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    LoadedPicture m_picture;
    QString m_message;
    bool m_isRealPixels = false;
    QPointF m_offset;  ///< of a picture larger than the view, in device pixels
    QPointF m_dragged;
};

}  // namespace ui
