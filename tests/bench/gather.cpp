// What ranks pay to tell each other something before they have joined: one Rendezvous::gather() of so many ranks, all on this machine.
#include "tests/bench/figures.h"
#include "tests/engine/comm/forked_ranks.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <new>
#include <stdexcept>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;

/// Seen by all ranks.
struct Result {
    double times[kRounds] = {};
    std::atomic<int> left = 0;  ///< ranks that need rank 0's store no more
};

/// Milliseconds of a gather, until the last rank has read, once for each round.
std::vector<double> measure(int world)
{
    void* const memory = ::mmap(nullptr, sizeof(Result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::runtime_error("no memory");
    Result& result = *new (memory) Result;
    const auto ended = tests::runProcesses(world, [&result](const engine::RankIdentity& identity) {
        engine::Rendezvous rendezvous(identity, {engine::Exchange::Gloo, std::chrono::seconds(60)});
        const std::string text = "d74721d9-48e3-44bc-94f8-4c68beabab70 net:[4026531840] " + std::to_string(identity.rank);
        rendezvous.gather("first", text);  // all ranks are there
        for (int round = 0; round < kRounds; ++round) {
            const auto begin = Clock::now();
            const bool isWhole = rendezvous.gather("round " + std::to_string(round), text).back().ends_with(std::to_string(identity.worldSize - 1));
            rendezvous.gather("end of round " + std::to_string(round), "");
            if (identity.rank == 0)
                result.times[round] = std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / 2;
            if (!isWhole)
                return false;
        }
        result.left += 1;
        while (identity.rank == 0 && result.left < identity.worldSize)
            std::this_thread::yield();
        return true;
    });
    const std::vector<double> times(result.times, result.times + kRounds);
    ::munmap(memory, sizeof(Result));
    if (std::ranges::count(ended, 0) != world)
        throw std::runtime_error("not all of " + std::to_string(world) + " ranks have gathered");
    return times;
}

}  // namespace

int main()
{
    try {
        nlohmann::json rows = nlohmann::json::array();
        for (const int world : {16, 64, 256})
            rows.push_back(bench::row("launch", "gather-" + std::to_string(world), "time", "ms", measure(world), bench::Better::Lower, {}));
        std::cout << nlohmann::json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_launch_gather: %s\n", error.what());
        return 1;
    }
}
