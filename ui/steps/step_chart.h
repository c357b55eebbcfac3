// A chart over the steps of a run: colours of the palette, zoom and pan along the steps by mouse and keys, what lies under the pointer as a
// tool tip, what lies at the cursor for a screen reader.
#pragma once
#include "ui/base/qcustomplot.h"
#include "ui/steps/chart_numbers.h"

#include <cstdint>
#include <optional>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>

namespace ui {

class StepChart : public QCustomPlot {
    Q_OBJECT
public:
    explicit StepChart(QWidget* parent = nullptr);

    /// The steps that there are. A chart that shows all of them goes on showing all.
    void setSteps(double first, double last);
    void showSteps(const QCPRange& range);
    void fit();
    /// Marks the step of the window's cursor, and scrolls to it, without zooming, if it is out of sight; nullopt: there is none.
    void setMarkedStep(const std::optional<std::int64_t>& step);
    const std::optional<std::int64_t>& markedStep() const { return m_marked; }

    /// What the chart shows, as a table.
    virtual ChartTable numbers() const = 0;

Q_SIGNALS:
    /// The user has zoomed or panned, or all steps are shown again.
    void shownStepsChanged(const QCPRange& range);
    /// The user has clicked on a step, or has moved the cursor by Shift and an arrow.
    void stepChosen(std::int64_t step);
    void numbersChanged();

protected:
    /// @return lines of text; empty: nothing is there
    virtual QString textAt(double step, double value) const = 0;
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

private:
    void keepWithin(const QCPRange& range);
    void applyPalette();
    void moveMark(int pixels);
    void scrollTo(double step);
    void zoom(double factor);
    bool handleKey(const QKeyEvent& event);

    QCPRange m_steps {0, 1};
    bool m_isWhole = true;  ///< all steps are shown
    std::optional<std::int64_t> m_marked;
    QCPItemStraightLine* m_halo;  ///< the line is seen on every colour
    QCPItemStraightLine* m_line;
    QPoint m_pressed;
};

}  // namespace ui
