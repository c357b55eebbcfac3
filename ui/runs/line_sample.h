// A short curve that is drawn as the lines of a run are, on the background of plots.
#pragma once
#include "ui/base/line_look.h"

#include <QWidget>

namespace ui {

class LineSample : public QWidget {
public:
    explicit LineSample(QWidget* parent);

    void setLook(const Look& look);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Look m_look;
};

}  // namespace ui
