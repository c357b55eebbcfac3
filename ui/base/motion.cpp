#include "ui/base/motion.h"

#include <QApplication>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QSet>

#include <iterator>

namespace ui {
namespace {

const QString kPortal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kPortalSettings = QStringLiteral("org.freedesktop.portal.Settings");

struct MotionKey {
    const char* part;
    const char* key;
};
/// Where desktops say it: 1, false, and a factor of all durations.
constexpr MotionKey kMotionKeys[] = {{"org.freedesktop.appearance", "reduced-motion"}, {"org.gnome.desktop.interface", "enable-animations"},
    {"org.kde.kdeglobals.KDE", "AnimationDurationFactor"}};

/// The numbers of the settings that ask for no motion.
QSet<int>& reducing()
{
    static QSet<int> keys;
    return keys;
}

bool reduces(int key, const QVariant& value)
{
    bool isNumber = false;
    switch (key) {
    case 0:
        return value.toUInt() == 1;
    case 1:
        return value.userType() == QMetaType::Bool && !value.toBool();
    default:
        return value.toDouble(&isNumber) <= 0 && isNumber;
    }
}

}  // namespace

bool isMotionReduced() { return !reducing().isEmpty(); }

MotionSetting::MotionSetting(const QDBusConnection& connection, QObject* parent)
    : QObject(parent)
    , m_connection(connection)
{
    if (!m_connection.isConnected())
        return;
    qRegisterMetaType<QDBusVariant>();  // the slot's parameter is looked up by its name
    const bool isOnBus = !m_connection.baseService().isEmpty();  // else it is spoken to without a bus, and has no name
    m_connection.connect(isOnBus ? kPortal : QString(), kPortalPath, kPortalSettings, QStringLiteral("SettingChanged"), this,
        SLOT(take(QString, QString, QDBusVariant)));
    for (const MotionKey& each : kMotionKeys)
        ask(QLatin1String(each.part), QLatin1String(each.key));
}

MotionSetting::~MotionSetting() { reducing().clear(); }

void MotionSetting::ask(const QString& part, const QString& key)
{
    QDBusMessage question = QDBusMessage::createMethodCall(kPortal, kPortalPath, kPortalSettings, QStringLiteral("Read"));
    question << part << key;
    question.setAutoStartService(false);
    auto* const watcher = new QDBusPendingCallWatcher(m_connection.asyncCall(question), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, part, key, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (reply.isError())
            return;
        // "Read" wraps the value twice.
        const QVariant value = reply.value().variant();
        take(part, key, value.userType() == qMetaTypeId<QDBusVariant>() ? value.value<QDBusVariant>() : reply.value());
    });
}

void MotionSetting::take(const QString& part, const QString& key, const QDBusVariant& value)
{
    for (int i = 0; i < int(std::size(kMotionKeys)); ++i) {
        if (part != QLatin1String(kMotionKeys[i].part) || key != QLatin1String(kMotionKeys[i].key))
            continue;
        if (reduces(i, value.variant()))
            reducing().insert(i);
        else
            reducing().remove(i);
    }
    if (isMotionReduced())
        QApplication::setEffectEnabled(Qt::UI_General, false);  // menus and tooltips that fade
}

}  // namespace ui
