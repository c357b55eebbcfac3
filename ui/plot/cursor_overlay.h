// The cursor drawn over a plot: a vertical line at its x, a dot on each line, and a box with the values there.
#pragma once
#include "ui/plot/canvas/readout.h"

#include <QWidget>

namespace ui {

class PlotCanvas;

class CursorOverlay : public QWidget {
    Q_OBJECT
public:
    /// Covers @p canvas, which becomes its parent. Mouse events pass through to the canvas.
    explicit CursorOverlay(PlotCanvas& canvas);

    /// Whether the box with the values is shown; it is for the plot under the mouse pointer only.
    void setShowsValues(bool showsValues);
    /// Shows the rectangle that the user is drawing, in this widget's pixels; empty: none.
    void setBox(const QRect& box);

    const std::vector<Reading>& readings() const { return m_readings; }

Q_SIGNALS:
    void readingsChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void updateReadings();
    void paintDots(QPainter& painter) const;
    void paintBox(QPainter& painter, double pixel) const;

    PlotCanvas& m_canvas;
    std::vector<Reading> m_readings;
    QRect m_box;
    bool m_showsValues = false;
};

}  // namespace ui
