#include "ui/steps/step_chart.h"

#include "ui/plot/canvas/axis_tickers.h"
#include "ui/plot/canvas/plot_colours.h"

#include <QApplication>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double kKeyPan = 0.1;  ///< of the width that is shown
constexpr double kKeyZoom = 1.25;

}  // namespace

StepChart::StepChart(QWidget* parent)
    : QCustomPlot(parent)
    , m_halo(new QCPItemStraightLine(this))
    , m_line(new QCPItemStraightLine(this))
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
    for (QCPItemStraightLine* line : {m_halo, m_line}) {
        line->setVisible(false);
        line->setAntialiased(false);
        line->setLayer(QStringLiteral("overlay"));
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

void StepChart::setMarkedStep(const std::optional<std::int64_t>& step)
{
    if (step)
        scrollTo(static_cast<double>(*step) + 0.5);
    if (step == m_marked)
        return;
    m_marked = step;
    for (QCPItemStraightLine* line : {m_halo, m_line}) {
        line->setVisible(step.has_value());
        if (!step)
            continue;
        const double middle = static_cast<double>(*step) + 0.5;
        line->point1->setCoords(middle, 0);
        line->point2->setCoords(middle, 1);
    }
    describeCursor();
    replot(rpQueuedReplot);
}

void StepChart::scrollTo(double step)
{
    const QCPRange seen = xAxis->range();
    if (!seen.contains(step) && m_steps.contains(step))
        showSteps(QCPRange(step - seen.size() / 2, step + seen.size() / 2).bounded(m_steps.lower, m_steps.upper));
}

void StepChart::describeCursor()
{
    setAccessibleDescription(m_marked ? tr("Step %1 is marked. %2").arg(*m_marked).arg(textAt(static_cast<double>(*m_marked) + 0.5, cursorValue())) : QString());
}

/// Around the marked step if it is in sight, else around the middle. The narrowest that is shown is a step.
void StepChart::zoom(double factor)
{
    const QCPRange seen = xAxis->range();
    if (seen.size() * factor < 1)
        return;
    const double mark = m_marked ? static_cast<double>(*m_marked) + 0.5 : seen.center();
    xAxis->scaleRange(factor, seen.contains(mark) ? mark : seen.center());
    replot(rpQueuedReplot);
}

void StepChart::moveMark(int pixels)
{
    const double middle = m_marked ? static_cast<double>(*m_marked) + 0.5 : xAxis->range().center();
    const double moved = xAxis->pixelToCoord(xAxis->coordToPixel(middle) + pixels);
    // At least a step, where steps are wider than pixels.
    auto step = static_cast<std::int64_t>(std::floor(moved));
    if (m_marked && step == *m_marked)
        step += pixels > 0 ? 1 : -1;
    Q_EMIT stepChosen(std::clamp(step, static_cast<std::int64_t>(std::floor(m_steps.lower)), static_cast<std::int64_t>(std::ceil(m_steps.upper)) - 1));
}

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
    if (!handleKey(*event))
        QCustomPlot::keyPressEvent(event);
}

/// The keys are those of the plots. Those that can be changed are the dock's.
bool StepChart::handleKey(const QKeyEvent& event)
{
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const bool isRight = event.key() == Qt::Key_Right;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (modifiers == Qt::ShiftModifier) {
            moveMark(isRight ? 1 : -1);
            return true;
        }
        if (modifiers != Qt::NoModifier)
            return false;
        xAxis->moveRange((isRight ? kKeyPan : -kKeyPan) * xAxis->range().size());
        replot(rpQueuedReplot);
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(1 / kKeyZoom);
        return true;
    case Qt::Key_Minus:
        zoom(kKeyZoom);
        return true;
    default:
        return false;
    }
}

void StepChart::paintEvent(QPaintEvent* event)
{
    QCustomPlot::paintEvent(event);
    if (!hasFocus())
        return;
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::Highlight));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void StepChart::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position().toPoint();
    QCustomPlot::mousePressEvent(event);
}

void StepChart::mouseReleaseEvent(QMouseEvent* event)
{
    QCustomPlot::mouseReleaseEvent(event);
    const QPoint released = event->position().toPoint();
    const bool isClick = event->button() == Qt::LeftButton && (released - m_pressed).manhattanLength() < QApplication::startDragDistance();
    if (isClick && axisRect()->rect().contains(released))
        Q_EMIT stepChosen(static_cast<std::int64_t>(std::floor(xAxis->pixelToCoord(released.x()))));
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

void StepChart::applyPalette()
{
    applyPlotColours(*this);
    m_halo->setPen(QPen(palette().color(QPalette::Base), 3));
    m_line->setPen(QPen(palette().color(QPalette::Text), 1));
}

}  // namespace ui
