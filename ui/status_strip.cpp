#include "ui/status_strip.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QStorageInfo>

#include <algorithm>
#include <chrono>

namespace ui {

using namespace std::chrono_literals;

StatusStrip::StatusStrip(RunsModel& runs, const std::filesystem::path& dataFolder, QWidget* parent)
    : QWidget(parent)
    , m_runs(runs)
    , m_dataFolder(dataFolder)
    , m_active(new QLabel(this))
    , m_record(new QLabel(this))
    , m_disk(new QLabel(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->setSpacing(18);
    for (QLabel* label : {m_record, m_active, m_disk})
        layout->addWidget(label);
    m_disk->setToolTip(plainToolTip(QString::fromStdString(dataFolder.string())));
    connect(&m_runsTimer, &QTimer::timeout, this, &StatusStrip::countRuns);
    connect(&m_diskTimer, &QTimer::timeout, this, &StatusStrip::queryFreeSpace);
    m_runsTimer.start(1s);
    m_diskTimer.start(15s);
    countRuns();
    queryFreeSpace();
}

void StatusStrip::setDiskHere()
{
    m_isDiskHere = true;
    queryFreeSpace();
}

void StatusStrip::countRuns()
{
    int active = 0;
    std::int64_t last = 0;
    for (const RunEntry& entry : m_runs.entries()) {
        if (!entry.isActive())
            continue;
        ++active;
        last = std::max(last, entry.lastRecordUnixMs());
    }
    m_active->setText(active == 0 ? tr("No active runs") : formatCounted(active, tr("1 active run"), tr("%Ln active runs", nullptr, pluralCount(active))));
    m_record->setVisible(last > 0);
    if (last > 0)
        m_record->setText(tr("Last record %1").arg(formatAge(last, QDateTime::currentMSecsSinceEpoch())));
}

// In the background, because a network disk may answer slowly.
void StatusStrip::queryFreeSpace()
{
    const QString folder = QString::fromStdString(m_dataFolder.string());
    inBackground(this, [folder] { return QStorageInfo(folder).bytesAvailable(); }, [this](qint64 bytes) {
        Q_EMIT freeSpaceRead(bytes);
        m_disk->setText(bytes < 0 ? QString() : (m_isDiskHere ? tr("%1 free here") : tr("%1 free")).arg(formatBytes(bytes)));
    });
}

}  // namespace ui
