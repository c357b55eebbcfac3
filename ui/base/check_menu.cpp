#include "ui/base/check_menu.h"

#include <QKeyEvent>
#include <QMouseEvent>

namespace ui {

bool CheckMenu::toggle(QAction* action)
{
    if (!action || !action->isEnabled() || !action->isCheckable())
        return false;
    action->trigger();
    return true;
}

void CheckMenu::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !toggle(actionAt(event->position().toPoint())))
        QMenu::mouseReleaseEvent(event);
}

void CheckMenu::keyPressEvent(QKeyEvent* event)
{
    const bool isChoice = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!isChoice || !toggle(activeAction()))
        QMenu::keyPressEvent(event);
}

}  // namespace ui
