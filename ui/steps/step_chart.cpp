#include "ui/steps/step_chart.h"

#include "ui/plot/axis_tickers.h"
#include "ui/plot/plot_colours.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QToolTip>

namespace ui {

StepChart::StepChart(QWidget* parent)
    : QCustomPlot(parent)
{
    setLocale(QLocale());
    setAutoAddPlottableToLegend(false);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 60);
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    axisRect()->setRangeDrag(Qt::Horizontal);
    axisRect()->setRangeZoom(Qt::Horizontal);
    axisRect()->setupFullAxesBox(false);
    xAxis2->setVisible(false);
    yAxis2->setVisible(false);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLength(0, 3);
        axis->setSubTickLength(0, 0);
        axis->setTickLabelPadding(4);
        axis->setLabelPadding(1);
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    connect(xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, &StepChart::keepWithin);
    applyPalette();
}

void StepChart::setSteps(double first, double last)
{
    m_steps = QCPRange(first, last);
    if (m_isWhole)
        xAxis->setRange(m_steps);
}

void StepChart::showSteps(const QCPRange& range)
{
    xAxis->setRange(range);
    replot(rpQueuedReplot);
}

void StepChart::fit() { showSteps(m_steps); }

void StepChart::keepWithin(const QCPRange& range)
{
    const QCPRange kept = range.bounded(m_steps.lower, m_steps.upper);
    if (kept != range) {
        xAxis->setRange(kept);  // comes back here
        return;
    }
    m_isWhole = kept == m_steps;
    xAxis->setTicker(xTicker(XAxis::Step, {kept.lower, kept.upper}));
    Q_EMIT shownStepsChanged(kept);
}

bool StepChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QCustomPlot::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text
        = axisRect()->rect().contains(help->pos()) ? textAt(xAxis->pixelToCoord(help->pos().x()), yAxis->pixelToCoord(help->pos().y())) : QString();
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void StepChart::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F && event->modifiers() == Qt::NoModifier)
        fit();
    else
        QCustomPlot::keyPressEvent(event);
}

void StepChart::mouseDoubleClickEvent(QMouseEvent* /*event*/) { fit(); }

void StepChart::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange)
        return;
    applyPalette();
    applyColours();
    replot(rpQueuedReplot);
}

void StepChart::applyPalette() { applyPlotColours(*this); }

}  // namespace ui
