// Two stacked bars of what a rank's memory is for: above, the parts over the whole width; below, the same against what is free.
#pragma once
#include "launcher/plan/forecast.h"

#include <QColor>
#include <QRectF>
#include <QWidget>

#include <cstdint>

class QPainter;

namespace ui {

/// The colour of the part at @p index of a forecast.
QColor partColour(std::size_t index, const QPalette& palette);

class MemoryBar : public QWidget {
    Q_OBJECT
public:
    explicit MemoryBar(QWidget* parent = nullptr);

    void setForecast(const launcher::Forecast& forecast);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintParts(QPainter& painter, const QRectF& area, std::int64_t whole);

    launcher::Forecast m_forecast;
};

}  // namespace ui
