// Mouse, wheel and keys over one plot, as changes of what all plots share.
#pragma once
#include "ui/plot/plot_canvas.h"

#include <QObject>
#include <QPoint>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace ui {

class CursorOverlay;

/// Drag moves; drag with Shift or the right button draws a box; the wheel zooms x at the pointer, over an
/// axis that axis alone, with Ctrl both; a double click fits; a click pins the cursor.
class PlotInput : public QObject {
    Q_OBJECT
public:
    PlotInput(PlotCanvas& canvas, CursorOverlay& overlay);

Q_SIGNALS:
    void pointedAt(bool isPointedAt);  ///< the pointer came or went
    void tableWanted();
    void copyWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Part { Plot, XAxis, YAxis };
    enum class Drag { None, Pressed, Pan, Box };
    Part partAt(const QPoint& position) const;
    bool isOurs(const QKeyEvent& event) const;
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool wheel(const QWheelEvent& event);
    bool key(const QKeyEvent& event);
    bool letter(int key);
    void pan(const QPoint& position);
    void zoomY(double factor, double pixel);
    void moveCursor(int points);
    Interval pannedY(double pixels) const;

    PlotCanvas& m_canvas;
    PlotLink& m_link;
    CursorOverlay& m_overlay;
    Drag m_drag = Drag::None;
    Part m_pressedPart = Part::Plot;
    bool m_isBoxDrag = false;
    QPoint m_pressed;
    QPoint m_last;
    int m_gesture = 0;
    qint64 m_lastWheelMs = 0;
};

}  // namespace ui
