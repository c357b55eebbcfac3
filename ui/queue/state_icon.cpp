#include "ui/queue/state_icon.h"

#include "ui/base/look.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QPixmap>

namespace ui {

namespace {

QPixmap glyph(launcher::RunState state, const QColor& colour)
{
    constexpr int kSize = 16;
    QPixmap pixmap(kSize * 2, kSize * 2);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawStateGlyph(painter, QRectF(2, 2, kSize - 4, kSize - 4), state, colour);
    return pixmap;
}

}  // namespace

QIcon stateIcon(launcher::RunState state)
{
    const QPalette palette = QGuiApplication::palette();
    const QColor colour = stateColour(state, palette);
    QIcon icon(glyph(state, colour));
    icon.addPixmap(glyph(state, withContrast(colour, palette.color(QPalette::Highlight), 3.0)), QIcon::Selected);
    return icon;
}

}  // namespace ui
