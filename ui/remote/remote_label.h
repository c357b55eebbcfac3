// In the status bar: which machine the window shows, and whether there is a connection to it.
#pragma once
#include "launcher/remote/mirror.h"

#include <QLabel>
#include <QTimer>

namespace ui {

class RemoteLabel : public QLabel {
    Q_OBJECT
public:
    /// @p mirror must outlive this.
    explicit RemoteLabel(const launcher::Mirror& mirror, QWidget* parent = nullptr);

private:
    void showLink();

    const launcher::Mirror& m_mirror;
    QTimer m_timer;
};

}  // namespace ui
