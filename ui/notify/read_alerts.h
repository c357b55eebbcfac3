// Which of the things that have happened in runs the user has read.
//
// [Note: unread alerts]
// What has happened is in the runs' journals, and so in the store; nothing of it is kept here. Only what the user has read is kept, in the
// window's state: the moment since which the window counts, and a short name of each alert after it that was read. A moment alone
// would not do: an alert may arrive long after it was raised, when a connection or another machine's disk is back.
#pragma once
#include "storage/store.h"
#include "ui/base/settings.h"

#include <QSet>
#include <QString>

#include <optional>
#include <span>

namespace ui {

/// The same for the same alert in every session. An attempt has one end, whatever that turns out to be.
QString alertName(const storage::AlertRow& alert);

class ReadAlerts {
public:
    static constexpr int kMostAlerts = 500;  ///< that are looked at, the newest

    /// What @p settings have of it.
    explicit ReadAlerts(const Settings& settings);

    /// False until begin(): before, everything is unread; after, what had happened before is no news.
    bool hasBegun() const { return m_sinceUnixMs > 0; }
    void begin(qint64 unixMs) { m_sinceUnixMs = unixMs; }

    bool isUnread(const storage::AlertRow& alert) const;
    void add(const storage::AlertRow& alert) { m_read.insert(alertName(alert)); }
    /// Takes all of @p alerts as read. @param oldest when there are kMostAlerts or more: the time of the last of these; older ones are never shown again
    void addAll(std::span<const storage::AlertRow> alerts, std::optional<qint64> oldest);

    void keep(Settings& settings) const;

private:
    qint64 m_sinceUnixMs = 0;  ///< nothing before is unread
    QSet<QString> m_read;
};

}  // namespace ui
