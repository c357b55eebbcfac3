#include "tests/ui/window/focus_walk.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QApplication>
#include <QDockWidget>
#include <QTabBar>
#include <QTest>

namespace ui_test {
namespace {

constexpr int kMostStops = 500;

QString called(const QWidget* widget)
{
    const QAccessibleInterface* const face = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
    const QPoint place = widget->mapTo(widget->window(), QPoint());
    return QStringLiteral("%1 “%2” (%3, in %4) at %5, %6")
        .arg(widget->metaObject()->className(), face ? face->text(QAccessible::Name) : QString(), widget->objectName(),
            widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "")
        .arg(place.x()).arg(place.y());
}

QString nameOf(QWidget* widget)
{
    const QAccessibleInterface* const face = QAccessible::queryAccessibleInterface(widget);
    return face ? face->text(QAccessible::Name) : QString();
}

QRect placeOf(const QWidget* widget) { return {widget->mapTo(widget->window(), QPoint()), widget->size()}; }

/// The part of the window that a widget is in, within which controls follow each other as they are read.
const QWidget* partOf(const QWidget* widget)
{
    for (const QWidget* parent = widget; parent; parent = parent->parentWidget()) {
        if (parent->inherits("QTabWidget") || qobject_cast<const QDockWidget*>(parent) || parent->inherits("QStatusBar") || qobject_cast<const QTabBar*>(parent) || parent->isWindow())
            return parent;
    }
    return nullptr;
}

/// The place of a control in the order of Tab, which begins with the window.
int orderOf(const QWidget* widget)
{
    int place = 0;
    for (QWidget* each = widget->window(); each != widget && place < 100'000; each = each->nextInFocusChain())
        ++place;
    return place;
}

/// Whether a reader who has been at @p from would look for @p to above or to the left of it.
bool isBack(const QRect& from, const QRect& to)
{
    const bool isAbove = to.bottom() <= from.top() && to.left() < from.right();
    const bool isLeftInTheRow = to.right() <= from.left() && to.top() < from.bottom() && from.top() < to.bottom() && qAbs(to.center().y() - from.center().y()) < 8;
    return isAbove || isLeftInTheRow;
}

bool takesTab(const QWidget* widget)
{
    if (!widget->isVisible() || !widget->isEnabled() || widget->focusProxy() || !(widget->focusPolicy() & Qt::TabFocus) || widget->visibleRegion().isEmpty())
        return false;
    // Of buttons that exclude each other Tab reaches the one that is pressed; the arrows reach the others.
    const auto* const button = qobject_cast<const QAbstractButton*>(widget);
    return !(button && (button->autoExclusive() || button->group()) && button->isCheckable() && !button->isChecked());
}

/// What is seen of a control and its immediate surroundings, where some panels paint the frame that shows the focus.
QImage pictureOf(QWidget* widget) { return widget->window()->grab(placeOf(widget).adjusted(-4, -4, 4, 4)).toImage(); }

}  // namespace

FocusWalk walkByTab(QWidget& window)
{
    FocusWalk walk;
    QList<QWidget*> stops;
    QTest::keyClick(&window, Qt::Key_Tab);
    while (QWidget* const here = QApplication::focusWidget()) {
        if (stops.contains(here) || stops.size() >= kMostStops)
            break;
        stops << here;
        if (nameOf(here).trimmed().isEmpty())
            walk.problems << "has no name: " + called(here);
        const QImage with = pictureOf(here);
        QTest::keyClick(here, Qt::Key_Tab);
        // A page is left behind its last link.
        for (int link = 0; link < kMostStops && here->inherits("QTextBrowser") && here->hasFocus(); ++link)
            QTest::keyClick(here, Qt::Key_Tab);
        QWidget* const next = QApplication::focusWidget();
        if (next == here && stops.size() > 1)
            walk.problems << "is a trap for Tab: " + called(here);
        if (!next || next == here)
            break;
        if (pictureOf(here) == with)
            walk.problems << "does not show the focus: " + called(here);
        if (!stops.contains(next) && orderOf(next) > orderOf(here) && partOf(here) == partOf(next) && isBack(placeOf(here), placeOf(next)))
            walk.problems << QStringLiteral("jumps back: from %1 to %2").arg(called(here), called(next));
    }
    walk.stops = int(stops.size());
    for (const QWidget* each : window.findChildren<QWidget*>()) {
        if (each->window() == &window && takesTab(each) && !stops.contains(each))
            walk.problems << "is not reached by Tab: " + called(each);
    }
    return walk;
}

}  // namespace ui_test
