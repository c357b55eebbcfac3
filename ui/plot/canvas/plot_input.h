// Translates mouse, wheel and key events on one plot into changes of the view state that all plots share.
#pragma once
#include "ui/plot/canvas/plot_canvas.h"

#include <QObject>
#include <QPoint>
#include <QRect>

#include <optional>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace ui {

class CursorOverlay;

/// Dragging zooms into a box, or into a range of x or y when it is nearly horizontal or vertical; dragging with Shift
/// or the middle or right button pans, and so does dragging an axis; the wheel zooms x at the pointer, over an axis only
/// that axis, with Ctrl both; a double click fits everything; a click pins the cursor, at the runs of the lines that are nearest, or unpins it.
class PlotInput : public QObject {
    Q_OBJECT
public:
    PlotInput(PlotCanvas& canvas, CursorOverlay& overlay);

    /// Does what the key of @p command does.
    void perform(PlotCommand command);

Q_SIGNALS:
    void pointedAt(bool isPointedAt);  ///< the mouse pointer has entered or left the plot
    /// The user is about to pin the cursor at the lines of these runs, or groups of runs. Several: their lines are equally near.
    void runsPointedOut(const QStringList& runIds);
    void tableRequested();
    void copyRequested();
    void saveImageRequested();
    void copyImageRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Part { Plot, XAxis, YAxis };
    enum class Drag { None, Pressed, Pan, Box };
    Part partAt(const QPoint& position) const;
    bool handlesKey(const QKeyEvent& event) const;
    std::optional<PlotCommand> commandOf(const QKeyEvent& event) const;
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    void zoomByKey(const QKeyEvent& event);
    void pan(const QPoint& position);
    void showCursor(Part part);
    QRect boxTo(const QPoint& position) const;
    void zoomTo(const QRect& box);
    void zoomY(double factor, double pixel);
    void setNextXAxis();
    void moveCursor(int points);
    QStringList runsAt(const QPoint& position) const;
    Interval pannedY(double pixels) const;

    PlotCanvas& m_canvas;
    PlotViewState& m_viewState;
    CursorOverlay& m_overlay;
    Drag m_drag = Drag::None;
    Part m_pressedPart = Part::Plot;
    bool m_isPanDrag = false;
    QPoint m_pressed;
    QPoint m_last;
    int m_gesture = 0;
    qint64 m_lastWheelMs = 0;
};

}  // namespace ui
