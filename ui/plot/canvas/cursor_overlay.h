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
    /// Of the points that later attempts have superseded; empty while they are hidden.
    const std::vector<Reading>& supersededReadings() const { return m_superseded; }

    /// A line of the box.
    struct Row {
        QPen pen;
        contract::LineMarker marker;
        QString name;
        QString raw;
        QString smoothed;
        bool isFaint = false;
    };
    struct Box {
        QString heading;
        std::vector<Row> rows;
        QString more;  ///< how many lines have no room; empty: all have
    };
    /// What the box says. Only while there are readings.
    Box valuesBox() const;

Q_SIGNALS:
    void readingsChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool hasReadings() const { return !m_readings.empty() || !m_superseded.empty(); }
    void updateReadings();
    void paintDots(QPainter& painter) const;
    void paintBox(QPainter& painter, double pixel) const;
    Row rowOf(const Reading& reading) const;

    PlotCanvas& m_canvas;
    std::vector<Reading> m_readings;
    std::vector<Reading> m_superseded;
    QRect m_box;
    bool m_showsValues = false;
};

}  // namespace ui
