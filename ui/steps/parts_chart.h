// The parts of steps or rounds as stacked bars.
#pragma once
#include "ui/steps/stacked_parts.h"
#include "ui/steps/step_chart.h"

#include <QColor>

namespace ui {

class PartsChart : public StepChart {
    Q_OBJECT
public:
    explicit PartsChart(QWidget* parent = nullptr);

    void setParts(StackedParts parts);
    const StackedParts& parts() const { return m_parts; }
    ChartTable numbers() const override;
    QColor colourOf(std::size_t part) const;
    /// How many bars reach beyond the top, which few long steps do not move.
    int higherBars() const { return m_higher; }

protected:
    QString textAt(double x, double value) const override;
    void applyColours() override;

private:
    void chooseHeight();

    StackedParts m_parts;
    std::vector<QCPBars*> m_bars;
    QCPItemText* m_note;
    int m_higher = 0;
};

}  // namespace ui
