#include "launcher/machine/sleep_lock.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

#include <utility>

namespace launcher {

SleepLock::SleepLock(std::function<void(const std::string&)> report)
    : m_report(std::move(report))
{
}

void SleepLock::take(const std::string& why)
{
    if (std::exchange(m_isWanted, true))
        return;
    const QDBusConnection bus = QDBusConnection::systemBus();
    if (!bus.isConnected())
        return;
    QDBusMessage call = QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.login1"), QStringLiteral("/org/freedesktop/login1"),
        QStringLiteral("org.freedesktop.login1.Manager"), QStringLiteral("Inhibit"));
    call << QStringLiteral("sleep") << QStringLiteral("Atelier") << QString::fromStdString(why) << QStringLiteral("block");
    auto* const watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        watcher->deleteLater();
        const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *watcher;
        if (reply.isError())
            m_report("the machine may go to sleep meanwhile: " + reply.error().message().toStdString());
        else if (m_isWanted)  // else it was released before it was given
            m_lock = reply.value();
    });
}

void SleepLock::release()
{
    m_isWanted = false;
    m_lock = QDBusUnixFileDescriptor();
}

}  // namespace launcher
