// Whether the user wants animations, as the desktop says. EdgedFusion follows it; a desktop's own style follows its desktop by itself.
#pragma once
#include <QDBusConnection>
#include <QDBusVariant>
#include <QObject>
#include <QString>

namespace ui {

/// Whether the desktop has animations switched off. False until a MotionSetting has heard so.
bool isMotionReduced();

/// Asks freedesktop's portal for settings (org.freedesktop.portal.Settings), and follows it. The program has one.
class MotionSetting : public QObject {
    Q_OBJECT
public:
    /// Returns at once; without a portal nothing changes. Needs a QApplication.
    explicit MotionSetting(const QDBusConnection& connection = QDBusConnection::sessionBus(), QObject* parent = nullptr);
    ~MotionSetting() override;

private Q_SLOTS:
    void take(const QString& part, const QString& key, const QDBusVariant& value);

private:
    void ask(const QString& part, const QString& key);

    QDBusConnection m_connection;
};

}  // namespace ui
