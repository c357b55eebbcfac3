#include "ui/notify/notifications.h"

#include <QApplication>
#include <QWidget>

namespace ui {

Notifications::Notifications(const RunsModel& runs, const Settings& settings, QWidget& window, const QDBusConnection& connection)
    : QObject(&window)
    , m_settings(settings)
    , m_window(window)
    , m_alerts(runs)
    , m_notifier(connection)
{
    connect(&m_alerts, &RunAlerts::raised, this, &Notifications::notify);
    connect(&m_notifier, &DesktopNotifier::chosen, this, &Notifications::raise);
    // Without a notification service the desktop may still mark the window.
    connect(&m_notifier, &DesktopNotifier::failed, this, [this] { QApplication::alert(&m_window); });
}

void Notifications::notify(const Alert& alert)
{
    if (m_settings.areNotificationsOn() && !m_window.isActiveWindow())
        m_notifier.show(alert);
}

void Notifications::raise(const QString& runId)
{
    m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
    m_window.raise();
    m_window.activateWindow();
    if (!runId.isEmpty())
        Q_EMIT runChosen(runId);
}

}  // namespace ui
