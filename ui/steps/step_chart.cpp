#include "ui/steps/step_chart.h"

#include "ui/base/format.h"
#include "ui/plot/canvas/axis_tickers.h"
#include "ui/plot/canvas/plot_colours.h"
#include "ui/steps/step_bins.h"

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

void StepChart::setAxis(XAxis axis)
{
    m_axis = axis;
    m_isWhole = true;
    setMark({});
}

void StepChart::setBins(std::int64_t first, std::int64_t count, std::int64_t width)
{
    const double size = static_cast<double>(width) * binUnit(m_axis);
    m_all = QCPRange(static_cast<double>(first) * size, static_cast<double>(first + count) * size);
    m_least = m_axis == XAxis::Step ? 1 : size;
    if (m_isWhole)
        xAxis->setRange(m_all);
}

void StepChart::showRange(const QCPRange& range)
{
    xAxis->setRange(range);
    replot(rpQueuedReplot);
}

void StepChart::fit() { showRange(m_all); }

void StepChart::setMark(const std::optional<Mark>& mark)
{
    if (mark)
        scrollTo(mark->x);
    if (mark == m_mark)
        return;
    m_mark = mark;
    for (QCPItemStraightLine* line : {m_halo, m_line}) {
        line->setVisible(mark.has_value());
        if (!mark)
            continue;
        line->point1->setCoords(mark->x, 0);
        line->point2->setCoords(mark->x, 1);
    }
    describeCursor();
    replot(rpQueuedReplot);
}

void StepChart::scrollTo(double x)
{
    const QCPRange seen = xAxis->range();
    if (!seen.contains(x) && m_all.contains(x))
        showRange(QCPRange(x - seen.size() / 2, x + seen.size() / 2).bounded(m_all.lower, m_all.upper));
}

void StepChart::describeCursor()
{
    setAccessibleDescription(m_mark ? tr("Step %1 is marked. %2").arg(m_mark->step).arg(textAt(m_mark->x, cursorValue())) : QString());
}

/// Around the marked step if it is in sight, else around the middle.
void StepChart::zoom(double factor)
{
    const QCPRange seen = xAxis->range();
    if (seen.size() * factor < m_least)
        return;
    const double mark = m_mark ? m_mark->x : seen.center();
    xAxis->scaleRange(factor, seen.contains(mark) ? mark : seen.center());
    replot(rpQueuedReplot);
}

void StepChart::moveMark(int pixels)
{
    const double before = m_mark ? m_mark->x : xAxis->range().center();
    double moved = xAxis->pixelToCoord(xAxis->coordToPixel(before) + pixels);
    // At least a step, where steps are wider than pixels.
    if (m_mark && std::abs(moved - before) < m_least)
        moved = before + std::copysign(m_least, pixels);
    Q_EMIT chosen(std::clamp(moved, m_all.lower, m_all.upper - m_least / 2));
}

void StepChart::keepWithin(const QCPRange& range)
{
    const QCPRange kept = range.bounded(m_all.lower, m_all.upper);
    if (kept != range) {
        xAxis->setRange(kept);  // comes back here
        return;
    }
    m_isWhole = kept == m_all;
    chooseTicks();
    Q_EMIT shownRangeChanged(kept);
}

/// As many as have room side by side: times take more of it than steps.
void StepChart::chooseTicks()
{
    const auto ticker = xTicker(m_axis, {xAxis->range().lower, xAxis->range().upper});
    const bool isTime = m_axis == XAxis::ActiveTime || m_axis == XAxis::WallTime;
    const QString widest = isTime ? QStringLiteral("00:00:00") : formatCount(static_cast<std::int64_t>(xAxis->range().upper));
    constexpr int kBesideTheAxis = 100;
    ticker->setTickCount(std::clamp((width() - kBesideTheAxis) / fontMetrics().horizontalAdvance(widest + QStringLiteral(" 00")), 1, 5));
    xAxis->setTicker(ticker);
}

void StepChart::resizeEvent(QResizeEvent* event)
{
    QCustomPlot::resizeEvent(event);
    chooseTicks();
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
        Q_EMIT chosen(xAxis->pixelToCoord(released.x()));
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
