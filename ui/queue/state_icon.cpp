#include "ui/queue/state_icon.h"

#include "ui/base/look.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QPixmap>

namespace ui {

QIcon stateIcon(launcher::RunState state)
{
    constexpr int kSize = 16;
    QPixmap pixmap(kSize * 2, kSize * 2);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawStateGlyph(painter, QRectF(2, 2, kSize - 4, kSize - 4), state, stateColour(state, QGuiApplication::palette()));
    return QIcon(pixmap);
}

}  // namespace ui
