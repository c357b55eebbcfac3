#include "ui/checkpoint/checkpoint_jobs.h"

#include "ui/base/format.h"
#include "ui/checkpoint/checkpoints_there.h"

#include <QStringList>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace ui {
namespace {

QString joined(const QStringList& sentences)
{
    return sentences.join(QLatin1Char(' '));
}

QString intactSentence(const CheckpointJobs::Folders& checkpoints)
{
    return checkpoints.size() == 1
        ? CheckpointJobs::tr("%1 is intact.").arg(QString::fromStdString(checkpoints.front().filename().string()))
        : CheckpointJobs::tr("All %n checkpoints are intact.", nullptr, static_cast<int>(checkpoints.size()));
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
    cancel();
    cancelVerifying();
    m_pool.waitForDone();
}

void CheckpointJobs::setRunFolder(const QString& folder)
{
    if (folder == m_runFolder)
        return;
    m_runFolder = folder;
    Q_EMIT canUndoChanged();
}

void CheckpointJobs::start(std::function<QString()> work)
{
    m_pool.start([this, runFolder = m_runFolder, work = std::move(work)] {
        const QString sentence = work();
        QMetaObject::invokeMethod(this, [this, runFolder, sentence] {
            Q_EMIT statusMessage(sentence);
            Q_EMIT filesChanged();
            m_service.catchUp(runFolder);
        });
    });
}

void CheckpointJobs::executeThere(const char* verb, const Folders& checkpoints, const QString& success)
{
    std::vector<std::vector<std::string>> commands;
    for (const auto& checkpoint : checkpoints)
        commands.push_back(checkpointCommand(verb, checkpoint));
    executeInTurn(*m_mirror, std::move(commands), this,
        [this, success](const CommandsEnd& end) { Q_EMIT statusMessage(end.errors.isEmpty() ? success : joined(end.errors)); });
}

void CheckpointJobs::verifyThere(const Folders& checkpoints)
{
    cancel();
    std::vector<std::vector<std::string>> commands;
    for (const auto& checkpoint : checkpoints)
        commands.push_back(checkpointCommand("verify", checkpoint));
    const int job = ++m_verification;
    m_cancel = executeInTurn(*m_mirror, std::move(commands), this, [this, job, checkpoints](const CommandsEnd& end) {
        if (job != m_verification)
            return;  // others are being verified by now
        m_cancel = nullptr;
        Q_EMIT canCancelChanged();
        QStringList sentences = end.errors;
        if (end.isCancelled)
            sentences << tr("The verification was cancelled.");
        Q_EMIT statusMessage(sentences.isEmpty() ? intactSentence(checkpoints) : joined(sentences));
    });
    Q_EMIT canCancelChanged();
}

void CheckpointJobs::cancel()
{
    if (m_cancel)
        m_cancel();
}

void CheckpointJobs::verify(const Folders& checkpoints)
{
    if (checkpoints.empty())
        return;
    Q_EMIT statusMessage(tr("Verifying…"));
    if (m_mirror)
        return verifyThere(checkpoints);
    if (++m_verifying == 1)
        m_verifyStop = std::stop_source();
    Q_EMIT verifyingChanged();
    start([this, checkpoints, stop = m_verifyStop.get_token()] {
        QStringList problems;
        for (const auto& checkpoint : checkpoints)
            if (const QString problem = verifyCheckpoint(checkpoint, stop); !problem.isEmpty())
                problems << problem;
        QMetaObject::invokeMethod(this, [this] {
            --m_verifying;
            Q_EMIT verifyingChanged();
        });
        if (!problems.isEmpty())
            return joined(problems);
        return stop.stop_requested() ? tr("Verifying was cancelled.") : intactSentence(checkpoints);
    });
}

void CheckpointJobs::cancelVerifying()
{
    m_verifyStop.request_stop();
}

void CheckpointJobs::setPinned(const Folders& checkpoints, bool isPinned)
{
    if (m_mirror)
        return executeThere(isPinned ? "pin" : "unpin", checkpoints, {});
    start([checkpoints, isPinned] {
        QStringList problems;
        for (const auto& checkpoint : checkpoints)
            if (const QString problem = ui::setPinned(checkpoint, isPinned); !problem.isEmpty())
                problems << problem;
        return joined(problems);
    });
}

void CheckpointJobs::trash(const QString& runFolder, const Folders& checkpoints)
{
    if (m_mirror)
        return trashThere(runFolder, checkpoints);
    m_pool.start([this, runFolder, checkpoints, home = m_service.home()] {
        const TrashResult result = moveToTrash(home, checkpoints);
        QMetaObject::invokeMethod(this, [this, runFolder, result] { reportTrashed(runFolder, result); });
    });
}

void CheckpointJobs::trashThere(const QString& runFolder, const Folders& checkpoints)
{
    std::vector<std::vector<std::string>> commands;
    QStringList names;
    for (const auto& checkpoint : checkpoints) {
        commands.push_back(checkpointCommand("remove", checkpoint));
        names << QString::fromStdString(contract::RunFolder(runFolder.toStdString()).id() + "/" + checkpoint.filename().string());
    }
    executeInTurn(*m_mirror, std::move(commands), this, [this, runFolder, names](const CommandsEnd& end) {
        m_trashedThere.insert(runFolder, names);
        const QString host = QString::fromStdString(m_mirror->host().text());
        Q_EMIT statusMessage(end.errors.isEmpty() ? tr("Moved to the trash of %1. Undo restores it.").arg(host) : joined(end.errors));
        Q_EMIT trashChangedThere();
    });
}

/// Of each name the newest, since the same step may have been removed before.
std::vector<launcher::TrashItem> CheckpointJobs::undoableThere() const
{
    const std::string run = contract::RunFolder(m_runFolder.toStdString()).id();
    QStringList names = m_trashedThere.value(m_runFolder);
    std::vector<launcher::TrashItem> last, together;
    for (const launcher::TrashItem& item : m_items) {
        if (item.runId() != run)
            continue;
        if (last.empty())
            last.push_back(item);
        if (names.removeOne(QString::fromStdString(item.name)))
            together.push_back(item);
    }
    return together.empty() ? last : together;
}

void CheckpointJobs::undoThere()
{
    std::vector<std::vector<std::string>> commands;
    for (const launcher::TrashItem& item : undoableThere())
        commands.push_back({"trash", "restore", item.exactName()});
    m_trashedThere.remove(m_runFolder);
    executeInTurn(*m_mirror, std::move(commands), this, [this](const CommandsEnd& end) {
        Q_EMIT statusMessage(joined(end.errors));
        Q_EMIT trashChangedThere();
    });
}

void CheckpointJobs::reportTrashed(const QString& runFolder, const TrashResult& result)
{
    QStringList sentences;
    if (!result.done.empty())
        sentences << formatCounted(static_cast<std::int64_t>(result.done.size()),
            tr("1 checkpoint with %1 was moved to the trash. Undo restores it."), tr("%Ln checkpoints with %1 were moved to the trash. Undo restores them.", nullptr, pluralCount(result.done.size())))
                         .arg(formatBytes(result.bytes()));
    for (const QString& refused : result.refused)
        sentences << refused;
    Q_EMIT statusMessage(joined(sentences));
    if (!result.done.empty())
        m_trashed.insert(runFolder, result.done);
    Q_EMIT canUndoChanged();
    Q_EMIT filesChanged();
    m_service.catchUp(runFolder);
}

std::vector<TrashedCheckpoint> CheckpointJobs::undoable() const
{
    if (const auto together = m_trashed.find(m_runFolder); together != m_trashed.end())
        return *together;
    const std::string run = contract::RunFolder(m_runFolder.toStdString()).id();
    const auto last = std::ranges::find(m_items, run, &launcher::TrashItem::runId);
    if (last == m_items.end())
        return {};
    return {{.from = last->origin, .to = last->place}};
}

void CheckpointJobs::setTrash(const std::vector<launcher::TrashItem>& items)
{
    m_items.clear();
    std::ranges::copy_if(items, std::back_inserter(m_items), [](const launcher::TrashItem& item) { return item.checkpointStep.has_value(); });
    // What was restored or deleted elsewhere cannot be undone any more. Asked of the disk, since the list may be older than the
    // last trash().
    m_trashed.removeIf([](QHash<QString, std::vector<TrashedCheckpoint>>::iterator entry) {
        std::error_code error;
        std::erase_if(entry.value(), [&](const TrashedCheckpoint& trashed) { return !std::filesystem::exists(trashed.to, error); });
        return entry.value().empty();
    });
    Q_EMIT canUndoChanged();
}

void CheckpointJobs::undo()
{
    if (m_mirror)
        return undoThere();
    const std::vector<TrashedCheckpoint> chosen = undoable();
    if (chosen.empty())
        return;
    m_trashed.remove(m_runFolder);
    std::erase_if(m_items, [&](const launcher::TrashItem& item) {
        return std::ranges::find(chosen, item.place, &TrashedCheckpoint::to) != chosen.end();
    });
    start([trashed = chosen] {
        QStringList sentences;
        for (const QString& failed : restoreFromTrash(trashed))
            sentences << failed;
        return joined(sentences);
    });
    Q_EMIT canUndoChanged();
}

}  // namespace ui
