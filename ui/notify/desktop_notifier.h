// Shows alerts through the desktop's notification service, by freedesktop's specification (org.freedesktop.Notifications).
#pragma once
#include "ui/notify/run_alerts.h"

#include <QDBusConnection>
#include <QHash>
#include <QObject>

namespace ui {

class DesktopNotifier : public QObject {
    Q_OBJECT
public:
    explicit DesktopNotifier(const QDBusConnection& connection = QDBusConnection::sessionBus(), QObject* parent = nullptr);

    /// Returns at once. Without a notification service nothing is shown, and failed() is emitted.
    void show(const Alert& alert);

Q_SIGNALS:
    /// The user has pressed Show, or the notification itself. @param runId may be empty
    void chosen(const QString& runId);
    void failed();

private Q_SLOTS:
    void onAction(uint notification, const QString& action);
    void onClosed(uint notification, uint reason);

private:
    QDBusConnection m_connection;
    QHash<uint, QString> m_runs;  ///< of the notifications that are shown: their run
};

}  // namespace ui
