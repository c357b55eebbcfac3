// Shows which list, table, text or other scrolled area has the focus, by an edge in the highlight colour, and which button, by a line within
// its edge: the style marks the current row at most, and a window's default button looks the same with the focus and without.
#pragma once
#include <QObject>
#include <QPointer>

class QWidget;

namespace ui {

/// One for the application.
class FocusEdges : public QObject {
    Q_OBJECT
public:
    explicit FocusEdges(QObject* parent);
    ~FocusEdges() override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void move(QWidget* focused);

    QPointer<QWidget> m_edge;  ///< a child of what has the focus
};

}  // namespace ui
