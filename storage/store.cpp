#include "storage/store.h"

#include "engine/contract/run/rank_clocks.h"
#include "storage/alert_queries.h"
#include "storage/garbage.h"
#include "storage/run_queries.h"
#include "storage/run_values.h"
#include "storage/series_reader.h"
#include "storage/store_private.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace storage {

Store::Private::Private(std::filesystem::path path, Store::Open openMode)
    : file(std::move(path))
    , mode(openMode)
    , open(openDatabase(file, mode))
    , identity(identify(file, open.mode))
{
}

Database& Store::Private::current()
{
    if (open.database && identify(file, open.mode) == identity)
        return *open.database;
    open.database.reset();  // closed before the new file is opened, because both use the same "-wal" and "-shm" names
    open = openDatabase(file, mode);
    identity = identify(file, open.mode);
    ++reopenings;
    return *open.database;
}

Store::Store(const std::filesystem::path& database, Open mode)
    : m_d(std::make_unique<Private>(database, mode))
{
}

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

std::vector<RunRow> Store::runs() const
{
    return m_d->read([](Database& database) { return readRuns(database, {}); });
}

std::optional<RunRow> Store::run(const std::string& id) const
{
    const auto rows = m_d->read([&](Database& database) { return readRuns(database, id); });
    return rows.empty() ? std::nullopt : std::optional(rows.front());
}

std::vector<AttemptRow> Store::attempts(const std::string& runId) const
{
    return m_d->read([&](Database& database) { return readAttempts(database, runId); });
}

std::vector<ParameterRow> Store::parameters(const std::string& runId, int attempt) const
{
    return m_d->read([&](Database& database) { return readParameters(database, runId, attempt); });
}

std::vector<SeriesRow> Store::series(const std::string& runId) const
{
    return m_d->read([&](Database& database) { return readSeries(database, runId); });
}

std::vector<CheckpointRow> Store::checkpoints(const std::string& runId) const
{
    return m_d->read([&](Database& database) { return readCheckpoints(database, runId); });
}

std::vector<SampleRow> Store::samples(const std::string& runId) const
{
    return m_d->read([&](Database& database) { return readSamples(database, runId); });
}

std::int64_t Store::checkpointCount(const std::string& runId) const
{
    return m_d->read([&](Database& database) { return countCheckpoints(database, runId); });
}

std::int64_t Store::sampleCount(const std::string& runId) const
{
    return m_d->read([&](Database& database) { return countSamples(database, runId); });
}

std::vector<RunValue> Store::values(const RunField& field, const std::string& runId) const
{
    return m_d->read([&](Database& database) { return readValues(database, field, runId); });
}

FieldNames Store::fieldNames() const
{
    return m_d->read([](Database& database) { return readFieldNames(database); });
}

std::vector<EventRow> Store::events(const std::string& runId, int limit) const
{
    std::string folder;
    std::vector<EventRow> events = m_d->read([&](Database& database) {
        folder = folderOfSeveralHosts(database, runId);
        return readEvents(database, runId, limit, !folder.empty());
    });
    if (folder.empty())
        return events;
    const auto clocks = contract::rankClocks(contract::RunFolder(folder));
    for (EventRow& event : events)
        event.unixMs = clocks->byRankZero(event.rank, event.unixMs);
    std::ranges::stable_sort(events, {}, [](const EventRow& event) { return std::pair(event.unixMs, event.rank); });
    events.erase(events.begin(), events.end() - std::min(std::ssize(events), std::ptrdiff_t(std::max(limit, 0))));
    return events;
}

std::vector<AlertRow> Store::alerts(const std::string& runId, int limit) const
{
    return m_d->read([&](Database& database) { return readAlerts(database, runId, limit); });
}

SeriesRange Store::range(std::int64_t seriesId, std::int64_t firstStep, std::int64_t lastStep,
    std::int64_t maxBuckets) const
{
    return m_d->read([&](Database& database) {
        return readRange(database, seriesId, firstStep, lastStep, maxBuckets);
    });
}

std::optional<Point> Store::pointAt(std::int64_t seriesId, std::int64_t step) const
{
    return m_d->read([&](Database& database) { return readPointAt(database, seriesId, step); });
}

std::vector<Point> Store::points(std::int64_t seriesId) const
{
    return m_d->read([&](Database& database) { return readPoints(database, seriesId); });
}

// data_version grows with writes of other connections, getTotalChanges() with those of this one.
std::int64_t Store::changeCounter() const
{
    return m_d->use([this](Database& database) {
        constexpr std::int64_t kMoreThanEither = std::int64_t(1) << 40;
        return m_d->reopenings * kMoreThanEither + database.dataVersion()
            + database.connection().getTotalChanges();
    });
}

bool Changes::concerns(const std::string& runId, const std::vector<Part>& anyOf) const
{
    return isUnknown || std::ranges::any_of(parts, [&](const auto& changed) {
        return changed.first == runId && std::ranges::find(anyOf, changed.second) != anyOf.end();
    });
}

Changes Store::changesSince(std::int64_t position) const
{
    // Positions of a database that has been replaced by another one say nothing about that one.
    constexpr std::int64_t kMoreThanAnyNumber = std::int64_t(1) << 40;
    return m_d->read([&](Database& database) {
        const std::int64_t base = (m_d->reopenings + 1) * kMoreThanAnyNumber;
        Changes changes;
        changes.isUnknown = position < base || position >= base + kMoreThanAnyNumber;
        const std::int64_t known = changes.isUnknown ? 0 : position - base;
        changes.position = base + known;
        Query row = database.query("SELECT change.run, run.id, change.part, change.number FROM change"
                                   " LEFT JOIN run ON run.key = change.run WHERE change.number > ?");
        row.bind(known);
        while (row.step()) {
            changes.position = std::max(changes.position, base + row.integer(3));
            if (changes.isUnknown)
                continue;
            if (row.integer(0) == 0)
                changes.isRunRemoved = true;
            else if (!row.isNull(1))
                changes.parts.emplace_back(row.text(1), static_cast<Part>(row.integer(2)));
        }
        return changes;
    });
}

void Store::removeRun(const std::string& runId)
{
    m_d->use([&](Database& database) {
        database.query("DELETE FROM run WHERE id = ?").bind(runId).run();
        database.query("DELETE FROM change WHERE run > 0 AND run NOT IN (SELECT key FROM run)"
                       " AND number < (SELECT max(number) FROM change)").run();
        sweepGarbage(database);
        shrink(database);
    });
}

void Store::compact()
{
    m_d->use([](Database& database) {
        sweepGarbage(database);
        if (database.pragma("auto_vacuum") == kIncrementalVacuum)
            return shrink(database);
        database.execute("PRAGMA auto_vacuum = INCREMENTAL");
        database.execute("VACUUM");
    });
}

}  // namespace storage
