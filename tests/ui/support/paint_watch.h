#pragma once
#include <QEvent>
#include <QObject>
#include <QWidget>

namespace ui_test {

/// Whether a widget has been painted since this object was made.
class PaintWatch : public QObject {
public:
    explicit PaintWatch(QWidget& widget) { widget.installEventFilter(this); }

    bool isPainted = false;

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        isPainted |= event->type() == QEvent::Paint;
        return false;
    }
};

}  // namespace ui_test
