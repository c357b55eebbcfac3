#include "ui/inspector/run_facts.h"

#include <utility>

namespace ui {
namespace {

constexpr int kEvents = 2000;

RunFacts read(const storage::Store& store, const QString& runId)
{
    const std::string id = runId.toStdString();
    RunFacts facts;
    facts.runId = runId;
    facts.attempts = store.attempts(id);
    facts.series = store.series(id);
    facts.events = store.events(id, kEvents);
    for (const storage::AttemptRow& attempt : facts.attempts)
        facts.parameters[attempt.number] = store.parameters(id, attempt.number);
    facts.checkpoints = store.checkpoints(id).size();
    facts.samples = store.samples(id).size();
    return facts;
}

}  // namespace

std::optional<double> RunFacts::last(std::string_view metric, int rank) const
{
    const storage::SeriesRow* newest = nullptr;
    for (const storage::SeriesRow& row : series) {
        if (row.metric == metric && row.rank == rank && (!newest || row.attempt > newest->attempt))
            newest = &row;
    }
    return newest ? newest->last : std::nullopt;
}

FactsLoader::FactsLoader(StoreService& store, Selection& selection, QObject* parent)
    : QObject(parent)
    , m_store(store)
    , m_selection(selection)
{
    connect(&m_selection, &Selection::inspectedChanged, this, &FactsLoader::load);
    connect(&m_store, &StoreService::changed, this, &FactsLoader::load);
    connect(&m_store, &StoreService::opened, this, &FactsLoader::load);
}

void FactsLoader::load()
{
    const QString runId = m_selection.inspected();
    if (m_isLoading) {
        m_isOutdated = true;
        return;
    }
    if (runId.isEmpty()) {
        m_facts = {};
        Q_EMIT loaded();
        return;
    }
    m_isLoading = true;
    const auto finish = [this, runId] {
        m_isLoading = false;
        if (std::exchange(m_isOutdated, false) || runId != m_selection.inspected())
            load();
    };
    m_store.query(
        this, [runId](const storage::Store& store) { return read(store, runId); },
        [this, runId, finish](RunFacts facts) {
            if (runId == m_selection.inspected()) {
                m_facts = std::move(facts);
                Q_EMIT loaded();
            }
            finish();
        },
        [this, finish](storage::StoreError::Kind kind, const QString& message) {
            Q_EMIT failed(kind, message);
            finish();
        });
}

}  // namespace ui
