#include "ui/notify/read_alerts.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ui {
namespace {

using Kind = storage::AlertRow::Kind;

const QString kAlertsState = QStringLiteral("alerts");

}  // namespace

QString alertName(const storage::AlertRow& alert)
{
    const bool isEnd = alert.kind == Kind::Finished || alert.kind == Kind::Failed || alert.kind == Kind::NoEnd;
    const QString text = QStringLiteral("%1/%2/%3/%4").arg(QString::fromStdString(alert.run)).arg(alert.attempt)
                             .arg(isEnd ? 0 : int(alert.kind)).arg(isEnd ? 0 : alert.unixMs);
    constexpr int kBytes = 8;
    return QString::fromLatin1(QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha1).first(kBytes).toHex());
}

ReadAlerts::ReadAlerts(const Settings& settings)
{
    const QJsonObject kept = QJsonDocument::fromJson(settings.viewState(kAlertsState)).object();
    m_sinceUnixMs = kept.value(QLatin1String("since")).toInteger();
    for (const QJsonValue& name : kept.value(QLatin1String("read")).toArray())
        m_read.insert(name.toString());
}

bool ReadAlerts::isUnread(const storage::AlertRow& alert) const
{
    return alert.unixMs > m_sinceUnixMs && !m_read.contains(alertName(alert));
}

void ReadAlerts::addAll(std::span<const storage::AlertRow> alerts, std::optional<qint64> oldest)
{
    m_sinceUnixMs = std::max(m_sinceUnixMs, oldest.value_or(0));
    m_read.clear();
    for (const storage::AlertRow& alert : alerts) {
        if (alert.unixMs > m_sinceUnixMs)
            add(alert);
    }
}

void ReadAlerts::keep(Settings& settings) const
{
    QJsonArray read;
    for (const QString& name : m_read)
        read.append(name);
    settings.setViewState(kAlertsState,
        QJsonDocument(QJsonObject {{QStringLiteral("since"), m_sinceUnixMs}, {QStringLiteral("read"), read}}).toJson(QJsonDocument::Compact));
}

}  // namespace ui
