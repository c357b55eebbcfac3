// The cursor over a plot: a line at its x, a dot on each line, and what they say.
#pragma once
#include "ui/plot/readout.h"

#include <QWidget>

namespace ui {

class PlotCanvas;

class CursorOverlay : public QWidget {
    Q_OBJECT
public:
    /// Covers @p canvas; lets input through.
    explicit CursorOverlay(PlotCanvas& canvas);

    /// Whether this plot is the one pointed at: only there the values are spelled out.
    void setSpelledOut(bool isSpelledOut);
    /// A rectangle being drawn; empty: none.
    void setBox(const QRect& box);

    const std::vector<Reading>& readings() const { return m_readings; }

Q_SIGNALS:
    void readingsChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void read();
    void paintDots(QPainter& painter) const;
    void paintBox(QPainter& painter, double pixel) const;

    PlotCanvas& m_canvas;
    std::vector<Reading> m_readings;
    QRect m_box;
    bool m_isSpelledOut = false;
};

}  // namespace ui
