#include "ui/runs/run_watch.h"

#include "engine/contract/formats/folder_entries.h"
#include "launcher/slurm/slurm_client.h"

#include <QDateTime>
#include <QThreadPool>

#include <chrono>
#include <utility>
#include <vector>

namespace ui {
namespace {

using namespace std::chrono_literals;

// The end of a run is shown after at most this interval plus the time of one inspectRun(); the limit is 3 s.
constexpr auto kRefreshInterval = 1s;

// So many states are determined before the order is looked at again. On a network disk one may take some 10 ms.
constexpr int kAtOnce = 4;

// A run of another host that has written nothing for so long has probably ended.
constexpr auto kQuietElsewhere = 10min;

/// Whether the state may have changed. That of an active run that has recorded more is determined by the timer anyway.
bool hasChanged(const RunEntry* known, const storage::RunRow& row)
{
    return !known || !known->status || known->row.attempts != row.attempts || known->row.outcome != row.outcome
        || (known->row.lastRecordUnixMs != row.lastRecordUnixMs && known->status->state != launcher::RunState::Running);
}

}  // namespace

RunWatch::RunWatch(StoreService& store, RunsModel& model, QObject* parent)
    : QObject(parent)
    , m_store(store)
    , m_model(model)
    , m_worker(new QObject)
{
    m_thread.setObjectName(QStringLiteral("run watch"));
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.start(QThread::LowPriority);
    connect(&m_store, &StoreService::changed, this, &RunWatch::takeChanges);
    connect(&m_store, &StoreService::opened, this, &RunWatch::readTable);
    connect(&m_timer, &QTimer::timeout, this, &RunWatch::refreshActive);
    m_timer.start(kRefreshInterval);
}

RunWatch::~RunWatch()
{
    m_thread.quit();
    m_thread.wait();
}

void RunWatch::readAgain()
{
    readTable();
    for (const RunEntry& entry : m_model.entries())
        requestStatus(entry.id(), entry.row.folder, Turn::Later);
}

// Runs one query at a time, so that a database that changes quickly does not queue up reads.
void RunWatch::readTable()
{
    if (m_isReading) {
        m_isOutdated = true;
        return;
    }
    m_isReading = true;
    m_changed.clear();
    m_ticket = m_store.query(
        this, [](const storage::Store& store) { return store.runs(); },
        [this](std::vector<storage::RunRow> rows) {
            refreshChanged(rows);
            m_model.setRows(std::move(rows));
            if (!std::exchange(m_isLoaded, true))
                Q_EMIT loaded();
            finishReading();
        },
        [this](storage::StoreError::Kind kind, const QString& message) {
            Q_EMIT failed(kind, message);
            finishReading();
        });
}

void RunWatch::cancel()
{
    m_ticket.cancel();
    m_isReading = false;
    m_isOutdated = false;
}

void RunWatch::finishReading()
{
    m_isReading = false;
    if (std::exchange(m_isOutdated, false))
        readTable();
    else
        readChangedRows();
}

void RunWatch::takeChanges(const storage::Changes& changes)
{
    if (changes.isUnknown || changes.isRunRemoved)
        return readTable();
    for (const auto& [run, part] : changes.parts) {
        if (part == storage::Part::Run)
            m_changed.insert(run);
    }
    readChangedRows();
}

void RunWatch::readChangedRows()
{
    if (m_isReading || m_changed.empty())
        return;
    m_isReading = true;
    const auto read = [ids = std::exchange(m_changed, {})](const storage::Store& store) {
        std::vector<storage::RunRow> rows;
        for (const std::string& id : ids) {
            if (auto row = store.run(id))
                rows.push_back(std::move(*row));
        }
        return rows;
    };
    m_store.query(
        this, read,
        [this](std::vector<storage::RunRow> rows) {
            refreshChanged(rows);
            m_model.updateRows(std::move(rows));
            finishReading();
        },
        [this](storage::StoreError::Kind kind, const QString& message) {
            Q_EMIT failed(kind, message);
            finishReading();
        });
}

void RunWatch::refreshChanged(const std::vector<storage::RunRow>& rows)
{
    for (const storage::RunRow& row : rows) {
        const QString id = QString::fromStdString(row.id);
        const RunEntry* const known = m_model.entry(id);
        // A run that has just changed does not wait for those that were found when the window was opened.
        if (hasChanged(known, row))
            requestStatus(id, row.folder, known && known->status ? Turn::First : Turn::Later);
    }
}

void RunWatch::refreshStatus(const QString& runId)
{
    if (const RunEntry* const entry = m_model.entry(runId))
        requestStatus(runId, entry->row.folder, Turn::First);
}

void RunWatch::requestStatus(const QString& runId, const std::string& folder, Turn turn)
{
    m_waiting.insert(runId, folder);
    (turn == Turn::First ? m_first : m_later).push_back(runId);
    determineNext();
}

/// Takes the runs whose states are determined next.
QStringList RunWatch::nextRuns()
{
    QStringList next;
    const auto take = [&](const QString& id) {
        if (next.size() < kAtOnce && m_waiting.contains(id) && !next.contains(id))
            next << id;
    };
    for (; next.size() < kAtOnce && !m_first.empty(); m_first.pop_front())
        take(m_first.front());
    if (next.size() < kAtOnce && m_inView) {
        for (const QString& id : m_inView())
            take(id);
    }
    for (; next.size() < kAtOnce && !m_later.empty(); m_later.pop_front())
        take(m_later.front());
    return next;
}

void RunWatch::determineNext()
{
    if (m_inWork > 0)
        return;
    const QStringList next = nextRuns();
    m_inWork = static_cast<int>(next.size());
    for (const QString& id : next) {
        QMetaObject::invokeMethod(m_worker, [this, id, folder = m_waiting.take(id)] {
            const launcher::RunStatus status = launcher::inspectRun(contract::RunFolder(folder));
            QMetaObject::invokeMethod(this, [this, id, status] { takeStatus(id, status); });
        });
    }
}

/// Asks Slurm for the jobs of runs that have one, every ten seconds and on a thread of its own: Slurm may take long to answer.
void RunWatch::askSlurm()
{
    std::vector<std::string> folders;
    for (const RunEntry& entry : m_model.entries()) {
        if (entry.status && !entry.status->slurmJob.empty())
            folders.push_back(entry.row.folder);
    }
    if (folders.empty() || m_isAskingSlurm->exchange(true))
        return;
    QThreadPool::globalInstance()->start([folders, isAsking = m_isAskingSlurm] {
        for (const std::string& folder : folders) {
            if (!launcher::refreshSlurm(contract::RunFolder(folder), std::chrono::seconds(10)).empty())
                break;  // one that does not answer is not asked for each run
        }
        *isAsking = false;
    });
}

void RunWatch::refreshActive()
{
    askSlurm();
    for (const QString& folder : std::exchange(m_justEnded, {}))
        m_store.catchUp(folder);
    for (const RunEntry& entry : m_model.entries()) {
        const bool isWaiting = entry.status && launcher::isWaiting(entry.status->state);
        const bool isElsewhere = entry.status && entry.status->state == launcher::RunState::CutOff
            && QDateTime::currentMSecsSinceEpoch() - entry.status->lastRecordUnixMs < std::chrono::milliseconds(kQuietElsewhere).count();
        if (isElsewhere || (entry.isActive() && entry.status && !entry.status->isSupervised))
            m_store.catchUp(entry.folder());
        if (entry.isActive() || isWaiting || (entry.status && !entry.status->slurmJob.empty()))
            refreshStatus(entry.id());
    }
    lookForFolders();
    m_model.tick();
}

/// Whether the folders of runs that have ended, and are in view, have vanished or come back.
void RunWatch::lookForFolders()
{
    struct Ended {
        QString id;
        std::string folder;
        bool isMissing = false;
    };
    std::vector<Ended> ended;
    for (const QString& id : m_inView ? m_inView() : QStringList()) {
        const RunEntry* const entry = m_model.entry(id);
        if (entry && entry->status && !entry->isActive())
            ended.push_back({id, entry->row.folder, entry->status->state == launcher::RunState::Missing});
    }
    QMetaObject::invokeMethod(m_worker, [this, ended] {
        for (const Ended& run : ended) {
            if (contract::hasEntry(run.folder) == run.isMissing)
                QMetaObject::invokeMethod(this, [this, id = run.id] { refreshStatus(id); });
        }
    });
}

void RunWatch::takeStatus(const QString& runId, const launcher::RunStatus& status)
{
    if (--m_inWork == 0)
        determineNext();
    const RunEntry* const entry = m_model.entry(runId);
    if (!entry)
        return;
    const bool hasJustEnded = entry->isActive() && !launcher::isActive(status.state);
    m_model.setStatus(runId, status);
    if (!hasJustEnded)
        return;
    // A supervisor that died has not ingested the newest records; they are still in the run folder. Its ranks live
    // slightly longer than its lock and may still write, so the folder is read again at the next refreshActive().
    m_store.catchUp(entry->folder());
    m_justEnded << entry->folder();
}

}  // namespace ui
