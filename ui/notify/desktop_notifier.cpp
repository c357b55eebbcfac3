#include "ui/notify/desktop_notifier.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>

namespace ui {
namespace {

const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kPath = QStringLiteral("/org/freedesktop/Notifications");
// "default" is what happens when the notification itself is clicked.
const QString kDefaultAction = QStringLiteral("default");
const QString kShowAction = QStringLiteral("show");
constexpr int kServersTimeout = -1;  ///< the notification stays as long as the desktop finds right

}  // namespace

DesktopNotifier::DesktopNotifier(const QDBusConnection& connection, QObject* parent)
    : QObject(parent)
    , m_connection(connection)
{
    m_connection.connect({}, kPath, kService, QStringLiteral("ActionInvoked"), this, SLOT(onAction(uint, QString)));
    m_connection.connect({}, kPath, kService, QStringLiteral("NotificationClosed"), this, SLOT(onClosed(uint, uint)));
}

void DesktopNotifier::show(const Alert& alert)
{
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kService, QStringLiteral("Notify"));
    const QStringList actions = {kDefaultAction, tr("Show"), kShowAction, tr("Show")};
    constexpr uchar kNormal = 1, kCritical = 2;
    const QVariantMap hints = {{QStringLiteral("urgency"), QVariant::fromValue(alert.isUrgent ? kCritical : kNormal)},
        {QStringLiteral("desktop-entry"), QStringLiteral("atelier")}};
    // The service may take the text for markup.
    call << QStringLiteral("Atelier") << 0U << QStringLiteral("atelier") << alert.title << alert.text.toHtmlEscaped() << actions << hints << kServersTimeout;
    auto* watcher = new QDBusPendingCallWatcher(m_connection.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, run = alert.runId] {
        const QDBusPendingReply<uint> reply = *watcher;
        watcher->deleteLater();
        if (reply.isError())
            Q_EMIT failed();
        else
            m_runs.insert(reply.value(), run);
    });
}

void DesktopNotifier::onAction(uint notification, const QString& action)
{
    const auto run = m_runs.constFind(notification);  // the signals are about the notifications of all programs
    if (run != m_runs.constEnd() && (action == kDefaultAction || action == kShowAction))
        Q_EMIT chosen(*run);
}

void DesktopNotifier::onClosed(uint notification, uint)
{
    m_runs.remove(notification);
}

}  // namespace ui
