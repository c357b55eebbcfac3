#include "ui/checkpoint/checkpoint_jobs.h"

#include "ui/base/format.h"

#include <QStringList>

#include <utility>

namespace ui {
namespace {

QString joined(const QStringList& sentences)
{
    return sentences.join(QLatin1Char(' '));
}

}  // namespace

CheckpointJobs::CheckpointJobs(StoreService& service, QObject* parent)
    : QObject(parent)
    , m_service(service)
{
    m_pool.setMaxThreadCount(1);
}

CheckpointJobs::~CheckpointJobs()
{
    m_pool.waitForDone();
}

void CheckpointJobs::setRunFolder(const QString& folder)
{
    if (folder == m_runFolder)
        return;
    m_runFolder = folder;
    setTrashed({});
}

void CheckpointJobs::start(std::function<QString()> work)
{
    m_pool.start([this, runFolder = m_runFolder, work = std::move(work)] {
        const QString answer = work();
        QMetaObject::invokeMethod(this, [this, runFolder, answer] {
            Q_EMIT said(answer);
            m_service.catchUp(runFolder);
        });
    });
}

void CheckpointJobs::verify(const Folders& checkpoints)
{
    if (checkpoints.empty())
        return;
    Q_EMIT said(tr("Verifying…"));
    start([checkpoints] {
        QStringList wrong;
        for (const auto& checkpoint : checkpoints)
            if (const QString problem = verifyCheckpoint(checkpoint); !problem.isEmpty())
                wrong << problem;
        if (!wrong.isEmpty())
            return joined(wrong);
        return checkpoints.size() == 1
            ? tr("%1 is whole.").arg(QString::fromStdString(checkpoints.front().filename().string()))
            : tr("All %n checkpoints are whole.", nullptr, static_cast<int>(checkpoints.size()));
    });
}

void CheckpointJobs::setPinned(const Folders& checkpoints, bool isPinned)
{
    start([checkpoints, isPinned] {
        QStringList wrong;
        for (const auto& checkpoint : checkpoints)
            if (const QString problem = ui::setPinned(checkpoint, isPinned); !problem.isEmpty())
                wrong << problem;
        return joined(wrong);
    });
}

void CheckpointJobs::trash(const Folders& checkpoints)
{
    m_pool.start([this, checkpoints, home = m_service.home()] {
        const TrashResult result = moveToTrash(home, checkpoints);
        QMetaObject::invokeMethod(this, [this, result] { takeTrashed(result); });
    });
}

void CheckpointJobs::takeTrashed(const TrashResult& result)
{
    QStringList sentences;
    if (!result.done.empty())
        sentences << tr("%n checkpoint(s) with %1 moved to the trash.", nullptr, static_cast<int>(result.done.size()))
                         .arg(formatBytes(result.bytes()));
    for (const QString& refused : result.refused)
        sentences << refused;
    Q_EMIT said(joined(sentences));
    if (!result.done.empty())
        setTrashed(result.done);
    m_service.catchUp(m_runFolder);
}

void CheckpointJobs::undo()
{
    if (m_trashed.empty())
        return;
    start([trashed = m_trashed] {
        QStringList sentences;
        for (const QString& failed : restoreFromTrash(trashed))
            sentences << failed;
        return joined(sentences);
    });
    setTrashed({});
}

void CheckpointJobs::setTrashed(std::vector<TrashedCheckpoint> trashed)
{
    m_trashed = std::move(trashed);
    Q_EMIT canUndoChanged();
}

}  // namespace ui
