// Presses Tab through a window as somebody without a mouse does, and says what is wrong with it (E11).
#pragma once
#include <QStringList>

class QWidget;

namespace ui_test {

struct FocusWalk {
    int stops = 0;         ///< controls that Tab has reached
    QStringList problems;  ///< one sentence each: a trap, no name, no visible focus, a jump back, a control that Tab does not reach
};

/// Walks from the first control of @p window until Tab is back there.
FocusWalk walkByTab(QWidget& window);

}  // namespace ui_test
