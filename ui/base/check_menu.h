// A menu of choices that stays open while the user ticks several of them.
#pragma once
#include <QMenu>

namespace ui {

/// A click, Space or Enter on a checkable action toggles it and leaves the menu open. Esc, a click elsewhere or an
/// action without a check mark closes it.
class CheckMenu : public QMenu {
    Q_OBJECT
public:
    using QMenu::QMenu;

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    static bool toggle(QAction* action);
};

}  // namespace ui
