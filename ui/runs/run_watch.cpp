#include "ui/runs/run_watch.h"

#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

// A run that dies shows it within this and the time of one look: the promise is 3 s.
constexpr auto kLookInterval = 1s;

bool isNews(const RunEntry* known, const storage::RunRow& row)
{
    return !known || !known->status || known->row.attempts != row.attempts
        || known->row.lastRecordUnixMs != row.lastRecordUnixMs || known->row.outcome != row.outcome;
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
    connect(&m_store, &StoreService::changed, this, &RunWatch::readTable);
    connect(&m_store, &StoreService::opened, this, &RunWatch::readTable);
    connect(&m_timer, &QTimer::timeout, this, &RunWatch::lookAtActive);
    m_timer.start(kLookInterval);
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
        look(entry.id());
}

// One question at a time: however fast the database changes, the table is read as often as it can be shown.
void RunWatch::readTable()
{
    if (m_isReading) {
        m_isOutdated = true;
        return;
    }
    m_isReading = true;
    const auto finish = [this] {
        m_isReading = false;
        if (std::exchange(m_isOutdated, false))
            readTable();
    };
    m_store.query(
        this, [](const storage::Store& store) { return store.runs(); },
        [this, finish](std::vector<storage::RunRow> rows) {
            lookAtChanged(rows);
            m_model.setRows(std::move(rows));
            if (!std::exchange(m_isLoaded, true))
                Q_EMIT loaded();
            finish();
        },
        [this, finish](storage::StoreError::Kind kind, const QString& message) {
            Q_EMIT failed(kind, message);
            finish();
        });
}

void RunWatch::lookAtChanged(const std::vector<storage::RunRow>& rows)
{
    for (const storage::RunRow& row : rows) {
        const QString id = QString::fromStdString(row.id);
        if (isNews(m_model.entry(id), row))
            ask(id, row.folder);
    }
}

void RunWatch::look(const QString& runId)
{
    if (const RunEntry* const entry = m_model.entry(runId))
        ask(runId, entry->row.folder);
}

void RunWatch::ask(const QString& runId, const std::string& folder)
{
    if (m_underWay.contains(runId))
        return;
    m_underWay.insert(runId);
    QMetaObject::invokeMethod(m_worker, [this, runId, folder] {
        const launcher::RunStatus status = launcher::inspectRun(contract::RunFolder(folder));
        QMetaObject::invokeMethod(this, [this, runId, status] { arrived(runId, status); });
    });
}

void RunWatch::lookAtActive()
{
    for (const QString& folder : std::exchange(m_ended, {}))
        m_store.catchUp(folder);
    for (const RunEntry& entry : m_model.entries()) {
        if (entry.isActive())
            look(entry.id());
    }
    m_model.tick();
}

void RunWatch::arrived(const QString& runId, const launcher::RunStatus& status)
{
    m_underWay.remove(runId);
    const RunEntry* const entry = m_model.entry(runId);
    if (!entry)
        return;
    const bool hasJustEnded = entry->isActive() && !launcher::isActive(status.state);
    m_model.setStatus(runId, status);
    if (!hasJustEnded)
        return;
    // A supervisor that died took with it what it had not yet read: the folder still has it. Its ranks live a
    // moment longer than its lock and may still write, so it is read once more at the next look.
    m_store.catchUp(entry->folder());
    m_ended << entry->folder();
}

}  // namespace ui
