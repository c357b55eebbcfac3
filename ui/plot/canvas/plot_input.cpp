#include "ui/plot/canvas/plot_input.h"

#include "ui/plot/canvas/cursor_overlay.h"
#include "ui/plot/canvas/readout.h"

#include <QApplication>
#include <QDateTime>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace ui {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kPanStep = 0.1;
constexpr int kThinBox = 12;    ///< pixels; a box that is thinner zooms one axis only
constexpr qint64 kWheelGestureMs = 600;  ///< wheel events closer than this are one gesture

int nextGesture()
{
    static int last = 0;
    return ++last;
}

}  // namespace

PlotInput::PlotInput(PlotCanvas& canvas, CursorOverlay& overlay)
    : QObject(&canvas)
    , m_canvas(canvas)
    , m_viewState(canvas.viewState())
    , m_overlay(overlay)
{
    canvas.installEventFilter(this);
}

bool PlotInput::eventFilter(QObject*, QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return press(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
        return move(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
        return release(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick:
        m_viewState.setPinned({});
        m_viewState.fit();
        return true;
    case QEvent::Wheel:
        return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::KeyPress:
        return key(*static_cast<QKeyEvent*>(event));
    case QEvent::ShortcutOverride:
        // The keys of a focused plot take precedence over the window's shortcuts.
        if (handlesKey(*static_cast<QKeyEvent*>(event)))
            event->accept();
        return false;
    case QEvent::Enter:
        Q_EMIT pointedAt(true);
        return false;
    case QEvent::Leave:
        m_viewState.setCursor({});
        Q_EMIT pointedAt(false);
        return false;
    default:
        return false;
    }
}

PlotInput::Part PlotInput::partAt(const QPoint& position) const
{
    const QRect area = m_canvas.plotRect();
    if (position.x() < area.left())
        return Part::YAxis;
    return position.y() > area.bottom() ? Part::XAxis : Part::Plot;
}

bool PlotInput::press(const QMouseEvent& event)
{
    m_canvas.setFocus(Qt::MouseFocusReason);
    if (event.button() == Qt::BackButton)
        m_viewState.back();
    else if (event.button() == Qt::ForwardButton)
        m_viewState.forward();
    if (event.button() != Qt::LeftButton && event.button() != Qt::RightButton && event.button() != Qt::MiddleButton)
        return true;
    m_pressed = m_last = event.position().toPoint();
    m_pressedPart = partAt(m_pressed);
    m_isPanDrag = event.button() != Qt::LeftButton || event.modifiers().testFlag(Qt::ShiftModifier)
        || m_pressedPart != Part::Plot;
    m_drag = Drag::Pressed;
    m_gesture = nextGesture();
    return true;
}

bool PlotInput::move(const QMouseEvent& event)
{
    const QPoint position = event.position().toPoint();
    if (m_drag == Drag::Pressed
        && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance())
        m_drag = m_isPanDrag ? Drag::Pan : Drag::Box;
    if (m_drag == Drag::Pan)
        pan(position);
    else if (m_drag == Drag::Box)
        m_overlay.setBox(boxTo(position));
    showCursor(partAt(position));
    if (partAt(position) == Part::Plot)
        m_viewState.setCursor(m_canvas.xAt(event.position().x()));
    return true;
}

/// The mouse cursor says what a drag does.
void PlotInput::showCursor(Part part)
{
    const Qt::CursorShape shape = m_drag == Drag::Pan ? Qt::ClosedHandCursor
        : m_drag == Drag::Box || part == Part::Plot   ? Qt::CrossCursor
        : part == Part::XAxis                         ? Qt::SizeHorCursor
                                                      : Qt::SizeVerCursor;
    if (m_canvas.cursor().shape() != shape)
        m_canvas.setCursor(shape);
}

void PlotInput::pan(const QPoint& position)
{
    const QPoint moved = position - m_last;
    m_last = position;
    m_canvas.setMoving();
    const QRect area = m_canvas.plotRect();
    if (m_pressedPart != Part::YAxis && moved.x() != 0)
        m_viewState.panX(-double(moved.x()) / area.width(), m_gesture);
    // Dragging moves y only over the y axis, or in a plot whose y range the user has set.
    const bool movesY = m_pressedPart == Part::YAxis || (m_pressedPart == Part::Plot && m_viewState.y(m_canvas.id()));
    if (movesY && moved.y() != 0)
        m_viewState.setY(m_canvas.id(), pannedY(moved.y()), m_gesture);
}

Interval PlotInput::pannedY(double pixels) const
{
    const QRect area = m_canvas.plotRect();
    return {m_canvas.yAt(area.bottom() + 1 - pixels), m_canvas.yAt(area.top() - pixels)};
}

bool PlotInput::release(const QMouseEvent& event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    const QPoint position = event.position().toPoint();
    if (drag == Drag::Pressed && event.button() == Qt::LeftButton && partAt(position) == Part::Plot) {
        if (m_viewState.isPinned()) {
            m_viewState.setPinned({});
            return true;
        }
        if (const QStringList runs = runsAt(position); !runs.isEmpty())
            Q_EMIT runsPointedOut(runs);
        m_viewState.setPinned(m_canvas.xAt(event.position().x()));
    } else if (drag == Drag::Box) {
        m_overlay.setBox({});
        zoomTo(boxTo(position));
    }
    return true;
}

QStringList PlotInput::runsAt(const QPoint& position) const
{
    constexpr double kSamePlace = 2;  // pixels
    std::vector<std::pair<double, QString>> distances;
    for (const Reading& reading : readingsAt(m_canvas.lines(), m_canvas.xAt(position.x()), m_viewState.xAxis())) {
        const double distance = std::abs(m_canvas.yAxis->coordToPixel(reading.smoothed.value_or(reading.raw)) - position.y());
        if (std::isfinite(distance))
            distances.emplace_back(distance, QString::fromStdString(m_canvas.lines()[reading.line].data->key.run));
    }
    std::ranges::sort(distances);
    QStringList runs;
    for (const auto& [distance, run] : distances) {
        if (distance <= distances.front().first + kSamePlace && !runs.contains(run))
            runs << run;
    }
    return runs;
}

/// The box from where the button was pressed to @p position. A thin one has the full height or width of the plot.
QRect PlotInput::boxTo(const QPoint& position) const
{
    const QRect area = m_canvas.plotRect();
    QRect box = QRect(m_pressed, position).normalized() & area;
    if (box.height() <= kThinBox && box.width() > box.height())
        box = QRect(box.left(), area.top(), box.width(), area.height());
    else if (box.width() <= kThinBox)
        box = QRect(area.left(), box.top(), area.width(), box.height());
    return box;
}

void PlotInput::zoomTo(const QRect& box)
{
    const QRect area = m_canvas.plotRect();
    const Interval x {m_canvas.xAt(box.left()), m_canvas.xAt(box.right())};
    const Interval y {m_canvas.yAt(box.bottom()), m_canvas.yAt(box.top())};
    if (box.height() == area.height())
        m_viewState.setX(x);
    else if (box.width() == area.width())
        m_viewState.setY(m_canvas.id(), y);
    else
        m_viewState.setBox(m_canvas.id(), x, y);
}

bool PlotInput::wheel(const QWheelEvent& event)
{
    const double notches = (event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x()) / 120.0;
    if (notches == 0)
        return true;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_lastWheelMs > kWheelGestureMs)
        m_gesture = nextGesture();
    m_lastWheelMs = now;
    m_canvas.setMoving();
    const double factor = std::pow(kZoomStep, -notches);
    const Part part = partAt(event.position().toPoint());
    const bool isBoth = event.modifiers().testFlag(Qt::ControlModifier) || m_viewState.y(m_canvas.id());
    if (part != Part::YAxis)
        m_viewState.zoomX(factor, m_canvas.xAt(event.position().x()), m_gesture);
    if (part == Part::YAxis || (part == Part::Plot && isBoth))
        zoomY(factor, event.position().y());
    return true;
}

void PlotInput::zoomY(double factor, double pixel)
{
    // Computed in pixels, so that a logarithmic axis is zoomed on its logarithmic scale.
    const QRect area = m_canvas.plotRect();
    const double bottom = pixel + (area.bottom() + 1 - pixel) * factor;
    const double top = pixel + (area.top() - pixel) * factor;
    m_viewState.setY(m_canvas.id(), Interval {m_canvas.yAt(bottom), m_canvas.yAt(top)}, m_gesture);
}

std::optional<PlotCommand> PlotInput::commandOf(const QKeyEvent& event) const
{
    return m_viewState.keys().command(QKeyCombination(event.modifiers() & ~Qt::KeypadModifier, Qt::Key(event.key())));
}

bool PlotInput::handlesKey(const QKeyEvent& event) const
{
    if (commandOf(event))
        return true;
    const auto modifiers = event.modifiers() & ~Qt::KeypadModifier;
    switch (event.key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        return modifiers == Qt::NoModifier;
    case Qt::Key_Escape:
        return modifiers == Qt::NoModifier && m_viewState.isPinned();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
        return (modifiers & ~(Qt::ShiftModifier | Qt::AltModifier)) == Qt::NoModifier;
    case Qt::Key_Left:
    case Qt::Key_Right:
        return modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier;
    default:
        return false;
    }
}

bool PlotInput::key(const QKeyEvent& event)
{
    if (!handlesKey(event))
        return false;
    if (const auto command = commandOf(event)) {
        perform(*command);
        return true;
    }
    const bool isRight = event.key() == Qt::Key_Right;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (event.modifiers().testFlag(Qt::ShiftModifier))
            moveCursor(isRight ? 1 : -1);
        else
            m_viewState.panX(isRight ? kPanStep : -kPanStep);
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down: {
        const double height = m_canvas.plotRect().height() * kPanStep;
        m_viewState.setY(m_canvas.id(), pannedY(event.key() == Qt::Key_Up ? height : -height));
        return true;
    }
    case Qt::Key_Escape:
        m_viewState.setPinned({});
        return true;
    default:
        zoomByKey(event);
        return true;
    }
}

void PlotInput::zoomByKey(const QKeyEvent& event)
{
    const double factor = event.key() == Qt::Key_Minus ? kZoomStep : 1 / kZoomStep;
    if (event.modifiers().testFlag(Qt::AltModifier)) {
        m_gesture = nextGesture();
        zoomY(factor, QRectF(m_canvas.plotRect()).center().y());
        return;
    }
    const Interval seen = m_viewState.x();
    m_viewState.zoomX(factor, m_viewState.cursor().value_or(seen.lower + seen.size() / 2));
}

void PlotInput::perform(PlotCommand command)
{
    switch (command) {
    case PlotCommand::ShowAll:
        return m_viewState.fit();
    case PlotCommand::Logarithmic:
        return m_viewState.toggleScale(m_canvas.id());
    case PlotCommand::NextSmoothing:
        return m_viewState.setNextSmoothing();
    case PlotCommand::Clip:
        return m_viewState.toggleClip(m_canvas.id());
    case PlotCommand::Follow:
        return m_viewState.setFollowing(m_viewState.mode() != XMode::Follow);
    case PlotCommand::NextXAxis:
        return setNextXAxis();
    case PlotCommand::Superseded:
        return m_viewState.setShowsSuperseded(!m_viewState.showsSuperseded());
    case PlotCommand::Differences:
        return m_viewState.setShowsDifferences(!m_viewState.showsDifferences());
    case PlotCommand::Table:
        return Q_EMIT tableRequested();
    case PlotCommand::Back:
        return m_viewState.back();
    case PlotCommand::Forward:
        return m_viewState.forward();
    case PlotCommand::CopyValues:
        return Q_EMIT copyRequested();
    case PlotCommand::CopyImage:
        return Q_EMIT copyImageRequested();
    case PlotCommand::SaveImage:
        return Q_EMIT saveImageRequested();
    }
}

void PlotInput::setNextXAxis()
{
    const auto next = std::next(std::ranges::find(kXAxes, m_viewState.xAxis()));
    m_viewState.setXAxis(next == kXAxes.end() ? kXAxes.front() : *next);
}

void PlotInput::moveCursor(int points)
{
    if (m_canvas.lines().empty())
        return;
    const LinePoints& line = m_canvas.lines().front().data->points;
    const Interval seen = m_viewState.x();
    const std::size_t here = line.nearest(m_viewState.cursor().value_or(seen.lower + seen.size() / 2), m_viewState.xAxis());
    if (here == line.size())
        return;
    const auto there = static_cast<std::ptrdiff_t>(here) + (m_viewState.cursor() ? points : 0);
    const auto last = static_cast<std::ptrdiff_t>(line.size()) - 1;
    // A cursor moved by keys is pinned, so that it stays where it is without the mouse pointer.
    m_viewState.setPinned(line.x(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(there, 0, last)), m_viewState.xAxis()));
}

}  // namespace ui
