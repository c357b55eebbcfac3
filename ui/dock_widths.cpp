#include "ui/dock_widths.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QMouseEvent>

#include <utility>

namespace ui {
namespace {

const QString kKey = QStringLiteral("dockWidths");

}  // namespace

DockWidths::DockWidths(QMainWindow& window, Settings& settings)
    : QObject(&window)
    , m_window(window)
    , m_settings(settings)
{
    if (const QList<QByteArray> widths = settings.viewState(kKey).split(' '); widths.size() == 2)
        m_widths = {widths[0].toInt(), widths[1].toInt()};
    window.installEventFilter(this);
}

void DockWidths::set(int left, int right)
{
    m_widths = {left, right};
    m_settings.setViewState(kKey, QByteArray::number(left) + ' ' + QByteArray::number(right));
}

/// The dock that stands for each side; null: none is in sight there.
std::array<QDockWidget*, 2> DockWidths::docks() const
{
    std::array<QDockWidget*, 2> docks {};
    for (QDockWidget* const dock : m_window.findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly)) {
        const Qt::DockWidgetArea area = m_window.dockWidgetArea(dock);
        const bool isAtSide = area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
        if (isAtSide && !dock->isFloating() && !dock->visibleRegion().isEmpty())  // else it may lie behind another one's tab
            docks[area == Qt::LeftDockWidgetArea ? 0 : 1] = dock;
    }
    return docks;
}

DockWidths::Widths DockWidths::now() const
{
    const auto [left, right] = docks();
    return {left ? left->width() : 0, right ? right->width() : 0};
}

/// Only those that have changed: the others may be what a narrow window has left of them.
void DockWidths::takeDragged()
{
    const Widths dragged = now();
    const auto chosen = [&](std::size_t side) { return dragged[side] == m_dragged[side] ? m_widths[side] : dragged[side]; };
    set(chosen(0), chosen(1));
}

void DockWidths::apply()
{
    const auto atSides = docks();
    for (std::size_t side = 0; side < atSides.size(); ++side) {
        QDockWidget* const dock = atSides[side];
        if (dock && m_widths[side] > 0 && dock->width() != m_widths[side])
            m_window.resizeDocks({dock}, {m_widths[side]}, Qt::Horizontal);
    }
}

bool DockWidths::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) {
        apply();
    } else if (event->type() == QEvent::Show) {
        QMetaObject::invokeMethod(this, &DockWidths::apply, Qt::QueuedConnection);  // when the docks have got their places
    } else if (event->type() == QEvent::MouseButtonPress) {
        m_isDragging = m_window.isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint());
        m_dragged = now();
    } else if (event->type() == QEvent::MouseButtonRelease && std::exchange(m_isDragging, false)) {
        takeDragged();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ui
