// A chart over the steps of a run, along any x axis: colours of the palette, zoom and pan along x by mouse and keys, what lies under the pointer as a
// tool tip, what lies at the cursor for a screen reader.
#pragma once
#include "ui/base/qcustomplot.h"
#include "ui/plot/lines/plot_settings.h"
#include "ui/steps/chart_numbers.h"

#include <cstdint>
#include <optional>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QResizeEvent>

namespace ui {

class StepChart : public QCustomPlot {
    Q_OBJECT
public:
    explicit StepChart(QWidget* parent = nullptr);

    /// The x axis has all that there is in sight then; follow up with its bins.
    void setAxis(XAxis axis);
    XAxis axis() const { return m_axis; }
    void showRange(const QCPRange& range);
    void fit();
    struct Mark {
        std::int64_t step = 0;
        double x = 0;
        bool operator==(const Mark&) const = default;
    };
    /// Marks the step of the window's cursor, and scrolls to it, without zooming, if it is out of sight; nullopt: there is none.
    void setMark(const std::optional<Mark>& mark);
    const std::optional<Mark>& mark() const { return m_mark; }
    std::optional<std::int64_t> markedStep() const { return m_mark ? std::optional(m_mark->step) : std::nullopt; }

    /// What the chart shows, as a table.
    virtual ChartTable numbers() const = 0;

Q_SIGNALS:
    /// The user has zoomed or panned, or all is shown again.
    void shownRangeChanged(const QCPRange& range);
    /// The user has clicked there, or has moved the cursor by Shift and an arrow.
    void chosen(double x);
    void numbersChanged();

protected:
    /// @return lines of text; empty: nothing is there
    virtual QString textAt(double x, double value) const = 0;
    /// Sets the bins that there are, see StepBins. A chart that shows all of them goes on showing all.
    void setBins(std::int64_t first, std::int64_t count, std::int64_t width);
    /// Called after the palette's colours have been applied to axes and grid.
    virtual void applyColours() { }
    /// The value at which a screen reader is told what lies at the marked step.
    virtual double cursorValue() const { return 0; }
    /// Tells a screen reader what lies at the cursor. Call it when the cursor or what it is at has changed.
    void describeCursor();

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void keepWithin(const QCPRange& range);
    void chooseTicks();
    void applyPalette();
    void moveMark(int pixels);
    void scrollTo(double x);
    void zoom(double factor);
    bool handleKey(const QKeyEvent& event);

    XAxis m_axis = XAxis::Step;
    QCPRange m_all {0, 1};
    double m_least = 1;     ///< the narrowest range to show: a step, or about as much of another axis
    bool m_isWhole = true;  ///< all is shown
    std::optional<Mark> m_mark;
    QCPItemStraightLine* m_halo;  ///< the line is seen on every colour
    QCPItemStraightLine* m_line;
    QPoint m_pressed;
};

}  // namespace ui
