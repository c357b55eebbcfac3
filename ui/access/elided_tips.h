// Tool tips that say in full what has no room where it is shown.
#pragma once
#include <QObject>
#include <QPoint>
#include <QString>

class QWidget;

namespace ui {

/// The text at @p place of @p widget if it has less room there than it needs: of a cell or a heading of a table, the chosen entry of a box, the
/// hint in an empty field, or a label. Empty when all of it is in sight.
/// @param widget the viewport where it is a table's
QString elidedText(const QWidget& widget, const QPoint& place);

/// Install it on the application. Shows elidedText() where there is no other tool tip.
class ElidedTips : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ui
