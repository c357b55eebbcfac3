// The first size and place of a window.
#pragma once
#include <QByteArray>
#include <QRect>
#include <QScreen>
#include <QSize>
#include <QWidget>

#include <algorithm>

namespace ui {

/// What a window manager adds around a window: borders, and a title bar at the top.
inline constexpr int kFrameSide = 8, kFrameTop = 32;

/// @p wanted, or what @p window's screen has room for, with the borders and title bar that the window manager adds.
inline QSize sizeOnScreen(const QWidget& window, QSize wanted)
{
    return wanted.boundedTo(window.screen()->availableSize() - QSize(2 * kFrameSide, kFrameTop + kFrameSide));
}

/// Gives @p window the size and place of QWidget::saveGeometry(), as far as its screen has room: the screen may have been a larger one.
inline void restoreOnScreen(QWidget& window, const QByteArray& geometry)
{
    window.restoreGeometry(geometry);
    const QRect available = window.screen()->availableGeometry();
    if (window.isMaximized() || window.isFullScreen() || available.contains(window.geometry()))
        return;
    const QRect room = available.adjusted(kFrameSide, kFrameTop, -kFrameSide, -kFrameSide);
    const QSize size = sizeOnScreen(window, window.size());
    const int right = std::max(room.left(), room.left() + room.width() - size.width());
    const int bottom = std::max(room.top(), room.top() + room.height() - size.height());
    window.setGeometry({{std::clamp(window.x(), room.left(), right), std::clamp(window.y(), room.top(), bottom)}, size});
}

}  // namespace ui
