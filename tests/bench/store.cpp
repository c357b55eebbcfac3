// How fast the store takes journals in, and how fast it answers at any zoom.
#include "engine/contract/run/journal_writer.h"
#include "storage/ingest.h"
#include "tests/bench/figures.h"

#include <stdlib.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>

namespace fs = std::filesystem;
namespace metric = contract::metric;

namespace {

constexpr int kRepeats = 5;
constexpr int kRanks = 8;

/// A folder of its own on the disk that builds lie on, gone at the end.
class Place {
public:
    Place()
    {
        std::string pattern = (fs::temp_directory_path() / "atelier-bench-XXXXXX").string();
        if (!::mkdtemp(pattern.data()))
            throw std::system_error(errno, std::generic_category(), pattern);
        m_root = pattern;
    }
    ~Place() { fs::remove_all(m_root); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    fs::path database(int number) const { return m_root / ("store-" + std::to_string(number) + ".db"); }
    contract::RunFolder run(const std::string& id) const
    {
        contract::RunFolder folder(m_root / "runs" / id);
        fs::create_directories(folder.journals());
        return folder;
    }

private:
    fs::path m_root;
};

/// One rank's step as the engine journals it.
class StepWriter {
public:
    StepWriter(const contract::RunFolder& folder, int rank)
        : m_writer(folder.journal(rank), {.version = 1, .run = folder.id(), .attempt = 1, .rank = rank, .host = {}, .startUnixMs = 0})
        , m_random(static_cast<std::uint64_t>(rank))
    {
    }
    void write(std::int64_t step)
    {
        m_writer.begin(contract::record::kStep, step);
        for (const char* name : {metric::kLoss, metric::kGradNorm, metric::kLr, metric::kImagesPerSecond,
                 metric::kSkippedSteps, metric::kRankLoss})
            m_writer.add(name, static_cast<double>(static_cast<float>(m_normal(m_random))));
        for (const char* name : {metric::kStepTime, metric::kDataTime, metric::kForwardTime,
                 metric::kBackwardTime, metric::kCommunicationTime, metric::kOptimizerTime})
            m_writer.add(name, std::round(std::abs(m_normal(m_random)) * 1e5) / 1e3);
        for (const char* name : {metric::kResident, metric::kAllocated, metric::kPeakAllocated})
            m_writer.add(name, static_cast<std::int64_t>(1e9 + 1e6 * m_normal(m_random)));
        m_writer.commit();
    }

private:
    contract::JournalWriter m_writer;
    std::mt19937_64 m_random;
    std::normal_distribution<double> m_normal;
};

double seconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

nlohmann::json measureIngest(const Place& place)
{
    constexpr int kSteps = 10'000;
    const contract::RunFolder folder = place.run("ingest");
    for (int rank = 0; rank < kRanks; ++rank) {
        StepWriter writer(folder, rank);
        for (int step = 1; step <= kSteps; ++step)
            writer.write(step);
    }
    std::vector<double> rates;
    for (int i = 0; i < kRepeats; ++i) {
        storage::Store store(place.database(i));
        storage::Ingest::Result result;
        const double time = seconds([&] { result = storage::Ingest(store).catchUp(folder); });
        rates.push_back(static_cast<double>(result.values) / time);
    }
    return bench::row("workbench", "store-ingest", "rate", "values/s", rates, bench::Better::Higher, {500'000, "limit"});
}

/// 8 ranks that write 10 records a second, ingested as often: the processor's share of it.
nlohmann::json measureLive(const Place& place)
{
    constexpr int kTurns = 300;
    const contract::RunFolder folder = place.run("live");
    std::vector<std::unique_ptr<StepWriter>> writers;
    for (int rank = 0; rank < kRanks; ++rank)
        writers.push_back(std::make_unique<StepWriter>(folder, rank));
    storage::Store store(place.database(kRepeats));
    storage::Ingest ingest(store);
    std::vector<double> percents;
    std::int64_t step = 0;
    for (int i = 0; i < kRepeats; ++i) {
        std::clock_t busy = 0;
        for (int turn = 0; turn < kTurns; ++turn) {
            ++step;
            for (auto& writer : writers)
                writer->write(step);
            const std::clock_t start = std::clock();
            ingest.catchUp(folder);
            busy += std::clock() - start;
        }
        percents.push_back(100 * 10 * static_cast<double>(busy) / CLOCKS_PER_SEC / kTurns);
    }
    return bench::row("workbench", "store-live-8x10", "core", "%", percents, bench::Better::Lower, {5, "limit"});
}

constexpr std::int64_t kLongSteps = 1'000'000;

/// A series of 1,000,000 steps with a non-finite value now and then. @return its id.
std::int64_t makeLongSeries(const Place& place, storage::Store& store)
{
    const contract::RunFolder folder = place.run("long");
    {
        contract::JournalWriter writer(folder.journal(0), {.version = 1, .run = folder.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        for (std::int64_t step = 1; step <= kLongSteps; ++step)
            writer.begin(contract::record::kStep, step)
                .add(metric::kLoss, step % 9973 == 0 ? std::nan("") : normal(random))
                .commit();
    }
    storage::Ingest(store).catchUp(folder);
    return store.series("long").at(0).id;
}

/// 95th percentile in milliseconds of queries over @p width steps at random places.
std::vector<double> rangeTimes(const storage::Store& store, std::int64_t series, std::int64_t width)
{
    constexpr int kQueries = 200;
    constexpr std::int64_t kMaxBuckets = 4000;  // 4 per pixel column of a plot of 1,000
    std::mt19937_64 random(2);
    std::vector<double> p95;
    for (int i = 0; i < kRepeats; ++i) {
        std::vector<double> times;
        for (int query = 0; query < kQueries; ++query) {
            const auto first = static_cast<std::int64_t>(
                random() % static_cast<std::uint64_t>(kLongSteps - width + 1)) + 1;
            times.push_back(1000 * seconds([&] { store.range(series, first, first + width - 1, kMaxBuckets); }));
        }
        p95.push_back(bench::quantile(times, 0.95));
    }
    return p95;
}

/// The index is built again from 1 GB of journals.
nlohmann::json measureRebuild(const Place& place)
{
    constexpr std::uintmax_t kBytes = 1'000'000'000;
    const fs::path runs = place.run("rebuild-0").root().parent_path();
    std::uintmax_t bytes = 0;
    const auto journals = [&](const contract::RunFolder& folder) {
        for (int rank = 0; rank < kRanks; ++rank)
            bytes += fs::file_size(folder.journal(rank));
    };
    const contract::RunFolder pattern = place.run("rebuild-0");
    for (int rank = 0; rank < kRanks; ++rank) {
        StepWriter writer(pattern, rank);
        for (int step = 1; step <= 10'000; ++step)
            writer.write(step);
    }
    journals(pattern);
    for (int run = 1; bytes < kBytes; ++run) {
        fs::copy(pattern.root(), runs / ("rebuild-" + std::to_string(run)), fs::copy_options::recursive);
        journals(pattern);
    }
    const fs::path database = place.database(kRepeats + 2);
    { storage::Store empty(database); }
    const double time = seconds([&] { storage::reindex(database, runs, [](std::size_t, std::size_t) {}); });
    return bench::row("workbench", "rebuild-1GB", "time", "s", {time}, bench::Better::Lower, {30, "limit"});
}

/// What the window asks when an indexed run of a million steps is opened: its series, and all of the first one.
nlohmann::json measureOpening(const fs::path& database)
{
    std::vector<double> times;
    for (int i = 0; i < kRepeats; ++i)
        times.push_back(1000 * seconds([&] {
            const storage::Store store(database);
            store.range(store.series("long").at(0).id, 1, kLongSteps, 4000);
        }));
    return bench::row("workbench", "open-indexed-run", "time", "ms", times, bench::Better::Lower, {100, "limit"});
}

}  // namespace

int main()
{
    try {
        const Place place;
        nlohmann::json rows {measureIngest(place), measureLive(place)};
        storage::Store store(place.database(kRepeats + 1));
        const std::int64_t series = makeLongSeries(place, store);
        for (const std::int64_t width : {kLongSteps, kLongSteps / 4, kLongSteps / 20, kLongSteps / 100, kLongSteps / 1000})
            rows.push_back(bench::row("workbench", "range-1M/" + std::to_string(width), "p95", "ms",
                rangeTimes(store, series, width), bench::Better::Lower, {5, "limit"}));
        rows.push_back(measureOpening(place.database(kRepeats + 1)));
        rows.push_back(measureRebuild(place));
        std::cout << nlohmann::json {{"rows", rows}}.dump() << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
}
