// A chart over the steps of a run: colours of the palette, zoom and pan along the steps, and what lies under the pointer as a tool tip.
#pragma once
#include "ui/base/qcustomplot.h"

namespace ui {

class StepChart : public QCustomPlot {
    Q_OBJECT
public:
    explicit StepChart(QWidget* parent = nullptr);

    /// The steps that there are. A chart that shows all of them goes on showing all.
    void setSteps(double first, double last);
    void showSteps(const QCPRange& range);
    void fit();

Q_SIGNALS:
    /// The user has zoomed or panned, or all steps are shown again.
    void shownStepsChanged(const QCPRange& range);

protected:
    /// @return lines of text; empty: nothing is there
    virtual QString textAt(double step, double value) const = 0;
    /// Called after the palette's colours have been applied to axes and grid.
    virtual void applyColours() { }

    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void keepWithin(const QCPRange& range);
    void applyPalette();

    QCPRange m_steps {0, 1};
    bool m_isWhole = true;  ///< all steps are shown
};

}  // namespace ui
