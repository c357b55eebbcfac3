#include "ui/plot/plot_input.h"

#include "ui/plot/cursor_overlay.h"

#include <QApplication>
#include <QDateTime>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <cmath>

namespace ui {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kPanStep = 0.1;
constexpr qint64 kOneTurnMs = 600;  ///< wheel events closer than this are one gesture

int nextGesture()
{
    static int last = 0;
    return ++last;
}

}  // namespace

PlotInput::PlotInput(PlotCanvas& canvas, CursorOverlay& overlay)
    : QObject(&canvas)
    , m_canvas(canvas)
    , m_link(canvas.link())
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
        m_link.setPinned({});
        m_link.fit();
        return true;
    case QEvent::Wheel:
        return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::KeyPress:
        return key(*static_cast<QKeyEvent*>(event));
    case QEvent::ShortcutOverride:
        // A focused plot's keys go before the window's.
        if (isOurs(*static_cast<QKeyEvent*>(event)))
            event->accept();
        return false;
    case QEvent::Enter:
        Q_EMIT pointedAt(true);
        return false;
    case QEvent::Leave:
        m_link.setCursor({});
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
        m_link.back();
    else if (event.button() == Qt::ForwardButton)
        m_link.forward();
    if (event.button() != Qt::LeftButton && event.button() != Qt::RightButton)
        return true;
    m_pressed = m_last = event.position().toPoint();
    m_pressedPart = partAt(m_pressed);
    m_isBoxDrag = event.button() == Qt::RightButton || event.modifiers().testFlag(Qt::ShiftModifier);
    m_drag = Drag::Pressed;
    m_gesture = nextGesture();
    return true;
}

bool PlotInput::move(const QMouseEvent& event)
{
    const QPoint position = event.position().toPoint();
    if (m_drag == Drag::Pressed
        && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance())
        m_drag = m_isBoxDrag ? Drag::Box : Drag::Pan;
    if (m_drag == Drag::Pan)
        pan(position);
    else if (m_drag == Drag::Box)
        m_overlay.setBox(QRect(m_pressed, position).normalized() & m_canvas.plotRect());
    if (partAt(position) == Part::Plot)
        m_link.setCursor(m_canvas.xAt(event.position().x()));
    return true;
}

void PlotInput::pan(const QPoint& position)
{
    const QPoint moved = position - m_last;
    m_last = position;
    m_canvas.setMoving();
    const QRect area = m_canvas.plotRect();
    if (m_pressedPart != Part::YAxis && moved.x() != 0)
        m_link.panX(-double(moved.x()) / area.width(), m_gesture);
    // Up and down only where y no longer fits by itself, or by its own axis.
    const bool movesY = m_pressedPart == Part::YAxis || (m_pressedPart == Part::Plot && m_link.y(m_canvas.id()));
    if (movesY && moved.y() != 0)
        m_link.setY(m_canvas.id(), pannedY(moved.y()), m_gesture);
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
        m_link.setPinned(m_link.isPinned() ? std::nullopt
                                           : std::optional(m_canvas.xAt(event.position().x())));
    } else if (drag == Drag::Box) {
        const QRect box = QRect(m_pressed, position).normalized() & m_canvas.plotRect();
        m_overlay.setBox({});
        if (box.width() > 3 && box.height() > 3)
            m_link.setBox(m_canvas.id(), {m_canvas.xAt(box.left()), m_canvas.xAt(box.right())},
                {m_canvas.yAt(box.bottom()), m_canvas.yAt(box.top())});
    }
    return true;
}

bool PlotInput::wheel(const QWheelEvent& event)
{
    const double notches = (event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x()) / 120.0;
    if (notches == 0)
        return true;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_lastWheelMs > kOneTurnMs)
        m_gesture = nextGesture();
    m_lastWheelMs = now;
    m_canvas.setMoving();
    const double factor = std::pow(kZoomStep, -notches);
    const Part part = partAt(event.position().toPoint());
    const bool isBoth = event.modifiers().testFlag(Qt::ControlModifier) || m_link.y(m_canvas.id());
    if (part != Part::YAxis)
        m_link.zoomX(factor, m_canvas.xAt(event.position().x()), m_gesture);
    if (part == Part::YAxis || (part == Part::Plot && isBoth))
        zoomY(factor, event.position().y());
    return true;
}

void PlotInput::zoomY(double factor, double pixel)
{
    // In pixels, so that a logarithmic axis is zoomed in its own measure.
    const QRect area = m_canvas.plotRect();
    const double bottom = pixel + (area.bottom() + 1 - pixel) * factor;
    const double top = pixel + (area.top() - pixel) * factor;
    m_link.setY(m_canvas.id(), Interval {m_canvas.yAt(bottom), m_canvas.yAt(top)}, m_gesture);
}

bool PlotInput::isOurs(const QKeyEvent& event) const
{
    const auto modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (event.matches(QKeySequence::Copy))
        return true;
    switch (event.key()) {
    case Qt::Key_F:
    case Qt::Key_L:
    case Qt::Key_S:
    case Qt::Key_C:
    case Qt::Key_E:
    case Qt::Key_X:
    case Qt::Key_H:
    case Qt::Key_T:
    case Qt::Key_Up:
    case Qt::Key_Down:
        return modifiers == Qt::NoModifier;
    case Qt::Key_Escape:
        return modifiers == Qt::NoModifier && m_link.isPinned();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
        return modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier;
    case Qt::Key_Left:
    case Qt::Key_Right:
        return modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier || modifiers == Qt::AltModifier;
    default:
        return false;
    }
}

bool PlotInput::key(const QKeyEvent& event)
{
    if (!isOurs(event))
        return false;
    if (event.matches(QKeySequence::Copy)) {
        Q_EMIT copyWanted();
        return true;
    }
    const bool isRight = event.key() == Qt::Key_Right;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (event.modifiers().testFlag(Qt::AltModifier))
            isRight ? m_link.forward() : m_link.back();
        else if (event.modifiers().testFlag(Qt::ShiftModifier))
            moveCursor(isRight ? 1 : -1);
        else
            m_link.panX(isRight ? kPanStep : -kPanStep);
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down: {
        const double height = m_canvas.plotRect().height() * kPanStep;
        m_link.setY(m_canvas.id(), pannedY(event.key() == Qt::Key_Up ? height : -height));
        return true;
    }
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus: {
        const Interval seen = m_link.x();
        m_link.zoomX(event.key() == Qt::Key_Minus ? kZoomStep : 1 / kZoomStep,
            m_link.cursor().value_or(seen.lower + seen.size() / 2));
        return true;
    }
    case Qt::Key_Escape:
        m_link.setPinned({});
        return true;
    default:
        return letter(event.key());
    }
}

bool PlotInput::letter(int key)
{
    switch (key) {
    case Qt::Key_F:
        m_link.fit();
        break;
    case Qt::Key_L:
        m_link.toggleScale(m_canvas.id());
        break;
    case Qt::Key_S:
        m_link.toggleSmoothing();
        break;
    case Qt::Key_C:
        m_link.toggleClip(m_canvas.id());
        break;
    case Qt::Key_E:
        m_link.setFollowing(m_link.mode() != XMode::Follow);
        break;
    case Qt::Key_X:
        m_link.setXAxis(static_cast<XAxis>((static_cast<int>(m_link.xAxis()) + 1) % 3));
        break;
    case Qt::Key_H:
        m_link.setShowsSuperseded(!m_link.showsSuperseded());
        break;
    case Qt::Key_T:
        Q_EMIT tableWanted();
        break;
    default:
        return false;
    }
    return true;
}

void PlotInput::moveCursor(int points)
{
    if (m_canvas.lines().empty())
        return;
    const LinePoints& line = m_canvas.lines().front().data->points;
    const Interval seen = m_link.x();
    const std::size_t here = line.nearest(m_link.cursor().value_or(seen.lower + seen.size() / 2), m_link.xAxis());
    if (here == line.size())
        return;
    const auto there = static_cast<std::ptrdiff_t>(here) + (m_link.cursor() ? points : 0);
    const auto last = static_cast<std::ptrdiff_t>(line.size()) - 1;
    // A cursor put by keys stays where it is: there is no pointer to say otherwise.
    m_link.setPinned(line.x(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(there, 0, last)), m_link.xAxis()));
}

}  // namespace ui
