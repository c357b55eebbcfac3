// What it costs to follow the journals of many ranks on other hosts live: the processor time of what the window does every second for a
// run without a supervisor (read what is new into the database, and determine the state), as a part of one core.
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/runs/launch.h"
#include "launcher/state/run_state.h"
#include "storage/ingest.h"
#include "tests/bench/figures.h"
#include "tests/bench/journalling_ranks.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <time.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

constexpr int kTicksARound = 20, kRounds = 5;

struct Case {
    int ranks, metrics, stepsATick;
    double limitPercent;  ///< 0: none
};
constexpr Case kCases[] = {{64, 100, 1, 10}, {64, 100, 10, 0}, {64, 14, 1, 0}, {512, 14, 1, 0}};

/// Processor time of this thread, in seconds.
double threadSeconds()
{
    timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Makes the run one whose rank 0 is on another host.
void moveElsewhere(const contract::RunFolder& folder)
{
    std::ifstream in(folder.supervisorLock());
    auto owner = nlohmann::json::parse(in);
    owner["host"] = "elsewhere";
    std::ofstream(folder.supervisorLock()) << owner.dump();
}

struct Costs {
    std::vector<double> percents, stateMs, nanosecondsAValue;  ///< once for each round
};

Costs measure(const launcher::DataHome& home, const Case& what)
{
    contract::Experiment experiment;
    experiment.set("launch.ranks", std::int64_t {what.ranks});
    const contract::RunFolder folder = launcher::createRun(home, experiment).folder;
    contract::makeSubfolders(folder);
    contract::SupervisorLock lock(folder);
    if (const std::string problem = lock.take(); !problem.empty())
        throw std::runtime_error(problem);
    lock.describe(1, true);
    moveElsewhere(folder);
    storage::Store store(home.database());
    storage::Ingest ingest(store);
    bench::JournallingRanks ranks(folder, what.ranks, what.metrics);
    ranks.writeStep();
    ingest.catchUp(folder);
    Costs costs;
    for (int round = 0; round < kRounds; ++round) {
        double total = 0, ofStates = 0;
        for (int tick = 0; tick < kTicksARound; ++tick) {
            for (int step = 0; step < what.stepsATick; ++step)
                ranks.writeStep();
            const double begin = threadSeconds();
            const auto values = ingest.catchUp(folder).values;
            const double ingested = threadSeconds();
            const auto state = launcher::inspectRun(folder).state;
            ofStates += threadSeconds() - ingested;
            total += threadSeconds() - begin;
            if (values != std::int64_t {what.ranks} * what.metrics * what.stepsATick || state != launcher::RunState::Running)
                throw std::runtime_error("the run is not followed: " + std::to_string(values) + " values, " + std::string(stateName(state)));
        }
        costs.percents.push_back(100 * total / kTicksARound);
        costs.stateMs.push_back(1e3 * ofStates / kTicksARound);
        costs.nanosecondsAValue.push_back(1e9 * (total - ofStates) / (kTicksARound * what.ranks * what.metrics * what.stepsATick));
    }
    return costs;
}

nlohmann::json measureAll()
{
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    nlohmann::json rows = nlohmann::json::array();
    for (const Case& each : kCases) {
        const Costs costs = measure(home, each);
        const std::string name = "follow-" + std::to_string(each.ranks) + "x" + std::to_string(each.metrics) + "-"
            + std::to_string(each.stepsATick) + "-a-second";
        rows.push_back(bench::row("workbench", name, "of a core", "%", costs.percents, bench::Better::Lower,
            each.limitPercent > 0 ? bench::Peer {each.limitPercent, "limit"} : bench::Peer {}));
        rows.push_back(bench::row("workbench", name, "state", "ms", costs.stateMs, bench::Better::Lower, {}));
        rows.push_back(bench::row("workbench", name, "value", "ns", costs.nanosecondsAValue, bench::Better::Lower, {}));
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
