#include "storage/store.h"

#include "storage/garbage.h"
#include "storage/run_queries.h"
#include "storage/series_reader.h"
#include "storage/store_private.h"

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
    open.database.reset();  // closed before its successor is opened: they share names
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

std::vector<EventRow> Store::events(const std::string& runId, int limit) const
{
    return m_d->read([&](Database& database) { return readEvents(database, runId, limit); });
}

SeriesRange Store::range(std::int64_t seriesId, std::int64_t firstStep, std::int64_t lastStep,
    std::int64_t maxBuckets) const
{
    return m_d->read([&](Database& database) {
        return readRange(database, seriesId, firstStep, lastStep, maxBuckets);
    });
}

std::vector<Point> Store::points(std::int64_t seriesId) const
{
    return m_d->read([&](Database& database) { return readPoints(database, seriesId); });
}

// data_version tells of other connections' writes, the total of changes of our own; both only grow.
std::int64_t Store::changeCounter() const
{
    return m_d->use([this](Database& database) {
        constexpr std::int64_t kMoreThanEither = std::int64_t(1) << 40;
        return m_d->reopenings * kMoreThanEither + database.dataVersion()
            + database.connection().getTotalChanges();
    });
}

void Store::removeRun(const std::string& runId)
{
    m_d->use([&](Database& database) {
        database.query("DELETE FROM run WHERE id = ?").bind(runId).run();
        sweepGarbage(database);
    });
}

}  // namespace storage
