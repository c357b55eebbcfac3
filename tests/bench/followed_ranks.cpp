// What it costs to follow the journals of 64 ranks live, each with 100 metrics a step: the processor time of what the window does every
// second for a run without a supervisor (read what is new into the database, and determine the state), as a part of one core.
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/launch.h"
#include "launcher/run_state.h"
#include "storage/ingest.h"
#include "tests/bench/figures.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <time.h>

#include <cmath>
#include <cstdio>
#include <deque>
#include <iostream>
#include <random>
#include <stdexcept>

namespace {

constexpr int kRanks = 64, kMetrics = 100, kTicksARound = 20, kRounds = 5;

/// Processor time of this thread, in seconds.
double threadSeconds()
{
    timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Ranks {
public:
    explicit Ranks(const contract::RunFolder& folder)
    {
        for (int rank = 0; rank < kRanks; ++rank)
            m_journals.emplace_back(folder.journal(rank),
                contract::JournalHeader {.version = contract::kJournalVersion, .run = folder.id(), .attempt = 1, .rank = rank, .host = {}, .startUnixMs = 0});
        for (int i = 0; i < kMetrics; ++i)
            m_names.push_back("group" + std::to_string(i / 10) + "/value" + std::to_string(i));
    }

    void writeStep()
    {
        ++m_step;
        for (contract::JournalWriter& journal : m_journals) {
            auto& record = journal.begin(contract::record::kStep, m_step);
            for (const std::string& name : m_names)
                record.add(name, std::abs(static_cast<double>(static_cast<float>(m_normal(m_random)))));
            journal.commit();
        }
    }

private:
    std::deque<contract::JournalWriter> m_journals;
    std::vector<std::string> m_names;
    std::int64_t m_step = 0;
    std::mt19937_64 m_random {1};
    std::normal_distribution<double> m_normal;
};

/// Processor seconds of a tick after @p steps more steps, once for each round.
std::vector<double> measure(Ranks& ranks, storage::Ingest& ingest, const contract::RunFolder& folder, int steps)
{
    std::vector<double> seconds;
    for (int round = 0; round < kRounds; ++round) {
        double total = 0;
        for (int tick = 0; tick < kTicksARound; ++tick) {
            for (int step = 0; step < steps; ++step)
                ranks.writeStep();
            const double begin = threadSeconds();
            const auto values = ingest.catchUp(folder).values;
            const auto state = launcher::inspectRun(folder).state;
            total += threadSeconds() - begin;
            if (values != std::int64_t {kRanks} * kMetrics * steps || state != launcher::RunState::Running)
                throw std::runtime_error("the run is not followed: " + std::to_string(values) + " values, " + std::string(stateName(state)));
        }
        seconds.push_back(total / kTicksARound);
    }
    return seconds;
}

nlohmann::json measureAll()
{
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    contract::Experiment experiment;
    experiment.set("launch.ranks", std::int64_t {kRanks});
    const contract::RunFolder folder = launcher::createRun(home, experiment).folder;
    contract::makeSubfolders(folder);
    contract::SupervisorLock lock(folder);
    if (const std::string problem = lock.take(); !problem.empty())
        throw std::runtime_error(problem);
    lock.describe(1, true);
    storage::Store store(home.database());
    storage::Ingest ingest(store);
    Ranks ranks(folder);
    ingest.catchUp(folder);
    nlohmann::json rows = nlohmann::json::array();
    for (const int steps : {1, 10}) {
        std::vector<double> percents, nanoseconds;
        for (const double seconds : measure(ranks, ingest, folder, steps)) {
            percents.push_back(100 * seconds);
            nanoseconds.push_back(1e9 * seconds / (kRanks * kMetrics * steps));
        }
        const std::string name = "follow-64-ranks-" + std::to_string(steps) + "-a-second";
        rows.push_back(bench::row("workbench", name, "of a core", "%", percents, bench::Better::Lower,
            steps == 1 ? bench::Peer {10, "limit"} : bench::Peer {}));
        rows.push_back(bench::row("workbench", name, "value", "ns", nanoseconds, bench::Better::Lower, {}));
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    qputenv("ATELIER_HOME", folder.path().toLocal8Bit());
    try {
        std::cout << nlohmann::json({{"rows", measureAll()}}).dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_workbench_followed_ranks: %s\n", error.what());
        return 1;
    }
}
