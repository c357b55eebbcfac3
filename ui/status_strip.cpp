#include "ui/status_strip.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"
#include "ui/store/index_place.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QStorageInfo>

#include <algorithm>
#include <chrono>

namespace ui {

using namespace std::chrono_literals;

StatusStrip::StatusStrip(RunsModel& runs, const launcher::DataHome& home, QWidget* parent)
    : QWidget(parent)
    , m_runs(runs)
    , m_dataFolder(home.data)
    , m_active(new QLabel(this))
    , m_record(new QLabel(this))
    , m_disk(new QLabel(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->setSpacing(18);
    for (QLabel* label : {m_record, m_active, m_disk})
        layout->addWidget(label);
    m_active->setObjectName(QStringLiteral("activeRuns"));
    QStringList places {QString::fromStdString(home.data.string()), indexPlace(home)};
    places.removeAll(QString());
    m_disk->setToolTip(plainToolTip(places.join(QLatin1Char('\n'))));
    connect(&m_runsTimer, &QTimer::timeout, this, &StatusStrip::countRuns);
    connect(&m_diskTimer, &QTimer::timeout, this, &StatusStrip::queryFreeSpace);
    m_runsTimer.start(1s);
    m_diskTimer.start(15s);
    countRuns();
    queryFreeSpace();
}

void StatusStrip::setMirror(const launcher::Mirror& mirror)
{
    m_mirror = &mirror;
    connect(&mirror, &launcher::Mirror::linkChanged, this, &StatusStrip::countRuns);
    countRuns();
    queryFreeSpace();
}

void StatusStrip::setRunsKnown(bool areKnown)
{
    m_areRunsKnown = areKnown;
    countRuns();
}

/// @param cutOff those that were active when the connection was lost
QString StatusStrip::activeText(int active, int cutOff) const
{
    using Phase = launcher::RemoteLink::Phase;
    if (!m_areRunsKnown)
        return tr("Active runs are not known yet");
    if (m_mirror && m_mirror->link().phase == Phase::Lost && m_mirror->link().heardUnixMs > 0)
        return cutOff == 0 ? tr("No run was active") : formatCounted(cutOff, tr("1 run was active"), tr("%Ln runs were active", nullptr, pluralCount(cutOff)));
    if (m_mirror && !m_mirror->link().isListed)
        return tr("Active runs are not known yet");
    return active == 0 ? tr("No active runs") : formatCounted(active, tr("1 active run"), tr("%Ln active runs", nullptr, pluralCount(active)));
}

void StatusStrip::countRuns()
{
    int active = 0, cutOff = 0;
    std::int64_t last = 0;
    for (const RunEntry& entry : m_runs.entries()) {
        cutOff += entry.status && entry.status->wasActive ? 1 : 0;
        if (!entry.isActive())
            continue;
        ++active;
        last = std::max(last, entry.lastRecordUnixMs());
    }
    m_active->setText(activeText(active, cutOff));
    m_record->setVisible(last > 0);
    if (last > 0) {
        m_record->setText(tr("Last record %1").arg(formatAge(last, QDateTime::currentMSecsSinceEpoch())));
        m_record->setToolTip(tr("Last record: %1").arg(formatMoment(last)));
    }
}

// In the background, because a network disk may answer slowly.
void StatusStrip::queryFreeSpace()
{
    const QString folder = QString::fromStdString(m_dataFolder.string());
    inBackground(this, [folder] { return QStorageInfo(folder).bytesAvailable(); }, [this](qint64 bytes) {
        Q_EMIT freeSpaceRead(bytes);
        m_disk->setText(bytes < 0 ? QString() : (m_mirror ? tr("%1 free here") : tr("%1 free")).arg(formatBytes(bytes)));
    });
}

}  // namespace ui
