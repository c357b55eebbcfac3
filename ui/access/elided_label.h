// A label in one line that ends in an ellipsis where it has no room for all of its text; a tool tip says the rest (elided_tips.h).
#pragma once
#include <QLabel>

namespace ui {

class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    using QLabel::QLabel;

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ui
