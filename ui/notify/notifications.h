// Notifies of alerts while the user looks elsewhere.
#pragma once
#include "ui/base/settings.h"
#include "ui/notify/desktop_notifier.h"
#include "ui/notify/run_alerts.h"

#include <QObject>

class QWidget;

namespace ui {

class Notifications : public QObject {
    Q_OBJECT
public:
    /// All must outlive this. While @p window is the active one, nothing is notified: it shows what has happened.
    Notifications(const RunsModel& runs, const Settings& settings, QWidget& window, const QDBusConnection& connection = QDBusConnection::sessionBus());

    RunAlerts& alerts() { return m_alerts; }

Q_SIGNALS:
    /// The user wants to see the run. The window has been raised.
    void runChosen(const QString& runId);

private:
    void notify(const Alert& alert);
    void raise(const QString& runId);

    const Settings& m_settings;
    QWidget& m_window;
    RunAlerts m_alerts;
    DesktopNotifier m_notifier;
};

}  // namespace ui
