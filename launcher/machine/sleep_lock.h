// Keeps the machine from going to sleep by itself.
#pragma once
#include <QDBusUnixFileDescriptor>
#include <QObject>

#include <functional>
#include <string>

namespace launcher {

/// Through systemd-logind, on the system bus; without them nothing happens. The lock belongs to a descriptor, so it ends with this
/// process, however that ends. `systemd-inhibit --list` shows it.
class SleepLock : public QObject {
    Q_OBJECT
public:
    /// @param report gets one sentence when there is a system bus, but no lock
    explicit SleepLock(std::function<void(const std::string&)> report);

    /// Asks for the lock unless it is held or asked for; returns before it is given.
    /// @param why "Run digits is training": shown to whoever wants the machine to sleep
    void take(const std::string& why);
    void release();

private:
    std::function<void(const std::string&)> m_report;
    bool m_isWanted = false;
    QDBusUnixFileDescriptor m_lock;
};

}  // namespace launcher
