#include "ui/inspector/run_facts.h"

#include "engine/contract/run/journal.h"

#include <chrono>
#include <iterator>
#include <utility>

namespace ui {
namespace {

using storage::Part;

using namespace std::chrono_literals;

constexpr auto kPause = 500ms;  // a rank that journals often does not have all facts read each time

namespace metric = contract::metric;

/// The metrics that the overview shows.
constexpr const char* kShown[] = {metric::kLoss, metric::kValidationLoss, metric::kGradNorm, metric::kLr, metric::kImagesPerSecond, metric::kTeraflops,
    metric::kMfu, metric::kReward, metric::kSkippedSteps, metric::kJudgeAgreement, metric::kJudgeAccuracy};

const std::set<Part> kAllParts = {Part::Run, Part::Series, Part::Samples, Part::Checkpoints, Part::Events};

}  // namespace

/// The parts of RunFacts that were read again.
struct FactsLoader::Update {
    QString runId;
    std::optional<std::vector<storage::AttemptRow>> attempts;
    std::optional<launcher::Estimate> estimate;  ///< read with the attempts
    std::optional<launcher::Forecast> forecast;  ///< read with anything, because it comes in the attempt's first seconds
    std::map<int, std::vector<storage::ParameterRow>> parameters;  ///< of the last attempt and those that were not known
    std::optional<std::vector<storage::SeriesRow>> series;
    std::map<std::string, double, std::less<>> values;  ///< these and the proofs are read with the series
    std::vector<storage::ResumeProof> proofs;
    std::optional<std::vector<storage::EventRow>> events;
    std::optional<std::int64_t> checkpoints;
    std::int64_t checkpointBytes = 0;  ///< read with their number
    std::optional<std::int64_t> samples;
};

std::optional<double> RunFacts::last(std::string_view metric) const
{
    const auto found = values.find(metric);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

FactsLoader::FactsLoader(StoreService& store, Selection& selection, QObject* parent)
    : QObject(parent)
    , m_store(store)
    , m_selection(selection)
{
    connect(&m_selection, &Selection::inspectedChanged, this, &FactsLoader::turnToInspected);
    connect(&m_store, &StoreService::changed, this, &FactsLoader::takeChanges);
    connect(&m_store, &StoreService::opened, this, &FactsLoader::load);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    connect(&m_pause, &QTimer::timeout, this, &FactsLoader::readOutdated);
}

void FactsLoader::load()
{
    m_outdated = kAllParts;
    readOutdated();
}

void FactsLoader::cancel()
{
    m_ticket.cancel();
    m_isLoading = false;
    m_outdated = kAllParts;
}

/// The run that is inspected now does not wait for the facts of the one before.
void FactsLoader::turnToInspected()
{
    m_ticket.cancel();
    m_isLoading = false;
    load();
}

void FactsLoader::takeChanges(const storage::Changes& changes)
{
    const std::string run = m_selection.inspected().toStdString();
    for (const Part part : kAllParts) {
        if (changes.concerns(run, {part}))
            m_outdated.insert(part);
    }
    if (!m_pause.isActive())
        readOutdated();
}

void FactsLoader::readOutdated()
{
    const QString runId = m_selection.inspected();
    if (runId.isEmpty()) {
        m_outdated.clear();
        if (!std::exchange(m_facts, {}).runId.isEmpty())
            Q_EMIT loaded();
        return;
    }
    if (m_isLoading || m_outdated.empty())
        return;
    m_isLoading = true;
    const std::set<Part> parts = std::exchange(m_outdated, {});
    std::set<int> known;
    if (m_facts.runId == runId) {
        for (const auto& [attempt, parameters] : m_facts.parameters)
            known.insert(attempt);
    }
    const auto read = [runId, parts, known](const storage::Store& store) {
        const std::string id = runId.toStdString();
        Update update {.runId = runId, .attempts = {}, .estimate = {}, .forecast = {}, .parameters = {}, .series = {}, .values = {}, .proofs = {}, .events = {}, .checkpoints = {}, .checkpointBytes = 0, .samples = {}};
        if (parts.contains(Part::Run)) {
            update.attempts = store.attempts(id);
            for (const storage::AttemptRow& attempt : *update.attempts) {
                if (!known.contains(attempt.number) || attempt.number == update.attempts->back().number)
                    update.parameters[attempt.number] = store.parameters(id, attempt.number);
            }
        }
        const auto row = store.run(id);
        const std::vector<storage::AttemptRow> attempts = update.attempts ? *update.attempts : store.attempts(id);
        if (row && !attempts.empty()) {
            const contract::RunFolder folder(row->folder);
            update.forecast = launcher::readForecast(folder, attempts.back().number);
            if (update.attempts)
                update.estimate = launcher::readEstimate(folder, attempts.back().number);
        }
        if (parts.contains(Part::Series)) {
            update.series = store.series(id);
            for (const char* name : kShown) {
                for (const storage::RunValue& value : store.values({storage::RunField::Kind::Last, name}, id))
                    update.values[name] = value.number;
            }
            update.proofs = storage::resumeProofs(store, attempts, *update.series);
        }
        if (parts.contains(Part::Events))
            update.events = store.events(id, RunFacts::kMostEvents);
        if (parts.contains(Part::Checkpoints)) {
            const std::vector<storage::CheckpointRow> checkpoints = store.checkpoints(id);
            update.checkpoints = std::ssize(checkpoints);
            for (const storage::CheckpointRow& checkpoint : checkpoints)
                update.checkpointBytes += checkpoint.bytes;
        }
        if (parts.contains(Part::Samples))
            update.samples = store.sampleCount(id);
        return update;
    };
    m_ticket = m_store.query(
        this, read,
        [this](Update update) {
            apply(std::move(update));
            Q_EMIT loaded();
            finish();
        },
        [this, parts](storage::StoreError::Kind kind, const QString& message) {
            Q_EMIT failed(kind, message);
            finish();
            m_outdated.insert(parts.begin(), parts.end());  // read at the next change, or when the user asks
        });
}

void FactsLoader::finish()
{
    m_isLoading = false;
    m_pause.start();
    if (m_facts.runId != m_selection.inspected())
        readOutdated();
}

void FactsLoader::apply(Update update)
{
    if (m_facts.runId != update.runId)
        m_facts = {};
    m_facts.runId = update.runId;
    if (update.attempts) {
        m_facts.attempts = std::move(*update.attempts);
        m_facts.estimate = update.estimate;
        std::map<int, std::vector<storage::ParameterRow>> parameters = std::move(update.parameters);
        for (const storage::AttemptRow& attempt : m_facts.attempts) {
            if (!parameters.contains(attempt.number))
                parameters[attempt.number] = std::move(m_facts.parameters[attempt.number]);
        }
        m_facts.parameters = std::move(parameters);
    }
    if (update.series) {
        m_facts.series = std::move(*update.series);
        m_facts.values = std::move(update.values);
        m_facts.proofs = std::move(update.proofs);
    }
    if (update.events)
        m_facts.events = std::move(*update.events);
    m_facts.forecast = update.forecast;
    if (update.checkpoints) {
        m_facts.checkpoints = *update.checkpoints;
        m_facts.checkpointBytes = update.checkpointBytes;
    }
    m_facts.samples = update.samples.value_or(m_facts.samples);
}

}  // namespace ui
