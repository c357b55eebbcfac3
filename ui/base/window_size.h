// The first size of a window.
#pragma once
#include <QScreen>
#include <QSize>
#include <QWidget>

namespace ui {

/// @p wanted, or what @p window's screen has room for, with the borders and title bar that the window manager adds.
inline QSize sizeOnScreen(const QWidget& window, QSize wanted)
{
    constexpr QSize kFrame(16, 40);
    return wanted.boundedTo(window.screen()->availableSize() - kFrame);
}

}  // namespace ui
